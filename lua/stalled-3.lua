-- Count a stall for each job whose lease ran out; those that had too many are dead, the others ready (echomq.md 4.4).
--
-- A dead job's lane does not join the ring and its flow parent is not told, as in EchoMQ (echomq.md 10.3, 23 and 25).
--
-- KEYS: 1 active, 2 pending, 3 dead
-- ARGV: 1 queue base, `emq:{q}:`, 2 stalls that kill, 3 how many jobs at most
-- Returns: two lists of ids: ready again, dead
-- Refuses: nothing
-- Cost: O(log active + swept × (log pending + log dead + ring)); writes

--@include overdue
--@include reclaim
local p = ARGV[1]
local recovered, dead = {}, {}
for _, id in ipairs(overdue(KEYS[1], ARGV[3])) do
  local row = p .. 'job:' .. id
  local group = redis.call('HGET', row, 'group')
  if redis.call('HINCRBY', row, 'stalled', 1) < tonumber(ARGV[2]) then
    reclaim(p, KEYS[1], KEYS[2], id, group)
    recovered[#recovered + 1] = id
  else
    take_back(p, KEYS[1], id, group)
    redis.call('HSET', row, 'state', 'dead', 'last_error', 'stalled')
    redis.call('ZADD', KEYS[3], 0, id)
    redis.call('HINCRBY', p .. 'metrics:failed', 'count', 1)
    dead[#dead + 1] = id
  end
end
return { recovered, dead }
