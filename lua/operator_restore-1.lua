-- Put a removed job back where it lay, with its row and what was kept beside it (the undo of remove).
--
-- A job that was active comes back with a raised token: whoever held it stays fenced off. Marks of workers do not
-- come back: their time to live is over.
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 id, 2 place, 3 its score there, 4 group of the lane or empty, 5 value of `dependencies` or empty; then five
--       lists, each its length and its items: fields of the row, logs, and the fields of `processed`, `failed`,
--       `unsuccessful`; then the dedup ids that named the job
-- Returns: `done`, or the reason, kind of note, note
-- Refuses: nothing as a whole
-- Cost: O(size of the job + log location + ring), 15 calls; writes

--@include lane
--@include operator_guard
--@include operator_ready
local p, id, place, score, group = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local row = p .. 'job:' .. id
local at = 6

-- The next list of ARGV, in parts that unpack can carry.
local function each_part(write)
  local first, last = at + 1, at + tonumber(ARGV[at])
  for begin = first, last, 1000 do
    write(begin, math.min(begin + 999, last))
  end
  at = last + 1
end

local function write_fields(key)
  each_part(function(first, last) redis.call('HSET', key, unpack(ARGV, first, last)) end)
end

operator_sound(p)
operator_permitted(p, 'SET', 'job:', '0')
for _, set in ipairs(operator_sets) do
  if redis.call('ZSCORE', p .. set, id) then return { 'moved', 'location', set } end
end
local odd = operator_lane_odd(p, group ~= '' and group)
if odd then return { 'not-supported', '', odd .. ' of its lane is no number' } end
if redis.call('EXISTS', row) == 1 then return { 'moved', 'place', 'its row again' } end
write_fields(row)
each_part(function(first, last) redis.call('RPUSH', row .. ':logs', unpack(ARGV, first, last)) end)
for _, part in ipairs({ ':processed', ':failed', ':unsuccessful' }) do
  write_fields(row .. part)
end
if ARGV[5] ~= '' then redis.call('SET', row .. ':dependencies', ARGV[5]) end
for name = at, #ARGV do
  redis.call('SET', p .. 'de:' .. ARGV[name], id, 'NX')
end
if place == 'active' then
  redis.call('HSET', row, 'attempts', operator_raised(redis.call('HGET', row, 'attempts')))
  if group ~= '' then
    local in_flight = redis.call('HINCRBY', p .. 'gactive', group, 1)
    local limit = redis.call('HGET', p .. 'glimit', group)
    if limit and in_flight >= tonumber(limit) then ring_out(p, group) end
  end
end
if place == 'pending' and group ~= '' then
  lane_in(p, group, id)
elseif place ~= 'held' then
  redis.call('ZADD', p .. place, score, id)
  if place == 'pending' then operator_wake(p, 1) end
end
return { 'done', '', '' }
