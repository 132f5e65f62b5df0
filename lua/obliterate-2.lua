-- Forget a paused queue, some jobs per call (echomq.md 4.5).
--
-- What EchoMQ leaves behind stays behind here: weights, dedup keys, the outbox, streams, subkeys and held parents of
-- flows, lanes that are neither in the ring nor paused. The pause goes with meta.
--
-- KEYS: 1 meta, 2 queue base, `emq:{q}:`
-- ARGV: 1 `force` or empty, 2 how many jobs at most
-- Returns: 0 done, 1 call again
-- Refuses: EMQSTATE the queue is not paused; EMQSTATE jobs are active and this is not forced
-- Cost: O(budget × log of the sets); writes

local p, budget = KEYS[2], tonumber(ARGV[2])
if redis.call('HEXISTS', KEYS[1], 'paused') == 0 then
  return redis.error_reply('EMQSTATE not paused')
end
if ARGV[1] ~= 'force' and redis.call('EXISTS', p .. 'active') == 1 then
  return redis.error_reply('EMQSTATE active jobs present')
end

-- Takes jobs of one set out of the budget; true once it is used up.
local function forget(set)
  for _, id in ipairs(redis.call('ZRANGE', set, 0, budget - 1)) do
    local row = p .. 'job:' .. id
    redis.call('DEL', row, row .. ':logs', row .. ':lock')
    redis.call('ZREM', set, id)
    budget = budget - 1
  end
  return budget <= 0
end

for _, part in ipairs({ 'active', 'pending', 'schedule', 'dead' }) do
  if forget(p .. part) then
    return 1
  end
end
for _, list in ipairs({ redis.call('LRANGE', p .. 'ring', 0, -1), redis.call('SMEMBERS', p .. 'paused') }) do
  for _, group in ipairs(list) do
    if forget(p .. 'g:' .. group .. ':pending') then
      return 1
    end
  end
end
for _, name in ipairs(redis.call('ZRANGE', p .. 'repeat', 0, -1)) do
  redis.call('DEL', p .. 'repeat:' .. name)
end
for _, metric in ipairs({ 'metrics:completed', 'metrics:failed' }) do
  redis.call('DEL', p .. metric, p .. metric .. ':data')
end
for _, part in ipairs({ 'gactive', 'glimit', 'ring', 'wake', 'paused', 'repeat', 'limiter', 'meta' }) do
  redis.call('DEL', p .. part)
end
return 0
