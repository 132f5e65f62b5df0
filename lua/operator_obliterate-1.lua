-- Forget a paused queue, some jobs per call, as EchoMQ's own obliterate does (echomq.md 4.5), every lane included.
--
-- What others still need stays: dedup keys, the outbox of flows, streams. So do held parents, which no set names.
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 `1` to go on although jobs are active, 2 how many jobs at most; then groups that the caller knows of
-- Returns: jobs that went, then 0 done or 1 call again
-- Refuses: EMQSTATE the queue is not paused; EMQSTATE jobs are active and this is not forced
-- Cost: O(budget × log of the sets + lanes); writes

local p, budget = KEYS[1], tonumber(ARGV[2])
local left = budget
if redis.call('HEXISTS', p .. 'meta', 'paused') == 0 then
  return redis.error_reply('EMQSTATE not paused')
end
if ARGV[1] ~= '1' and redis.call('EXISTS', p .. 'active') == 1 then
  return redis.error_reply('EMQSTATE active jobs present')
end

-- Takes jobs of one set out of the budget; true once it is used up.
local function forget(set)
  if left <= 0 then return true end
  local ids = redis.call('ZRANGE', set, 0, left - 1)
  for _, id in ipairs(ids) do
    local row = p .. 'job:' .. id
    redis.call('UNLINK', row, row .. ':logs', row .. ':lock', row .. ':dependencies', row .. ':processed',
      row .. ':failed', row .. ':unsuccessful')
  end
  if #ids > 0 then redis.call('ZREM', set, unpack(ids)) end
  left = left - #ids
  return left <= 0
end

local function groups()
  local found = redis.call('LRANGE', p .. 'ring', 0, -1)
  for _, list in ipairs({ redis.call('SMEMBERS', p .. 'paused'), redis.call('HKEYS', p .. 'gactive'),
    redis.call('HKEYS', p .. 'glimit'), redis.call('HKEYS', p .. 'gweight'), { unpack(ARGV, 3) } }) do
    for _, group in ipairs(list) do
      found[#found + 1] = group
    end
  end
  return found
end

for _, part in ipairs({ 'active', 'pending', 'schedule', 'dead' }) do
  if forget(p .. part) then return { budget, 1 } end
end
for _, group in ipairs(groups()) do
  if forget(p .. 'g:' .. group .. ':pending') then return { budget, 1 } end
end
for _, name in ipairs(redis.call('ZRANGE', p .. 'repeat', 0, -1)) do
  redis.call('DEL', p .. 'repeat:' .. name)
end
redis.call('DEL', p .. 'metrics:completed', p .. 'metrics:completed:data', p .. 'metrics:failed',
  p .. 'metrics:failed:data', p .. 'gactive', p .. 'glimit', p .. 'gweight', p .. 'ring', p .. 'wake', p .. 'paused',
  p .. 'repeat', p .. 'limiter', p .. 'meta')
return { budget - left, 0 }
