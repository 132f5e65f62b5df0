-- How long the rate limit keeps the queue closed (echomq.md 4.5).
--
-- KEYS: 1 limiter, 2 meta
-- ARGV: 1 jobs per window, 0: as meta says
-- Returns: ms until the window ends, 0 while there is room or no limit
-- Refuses: nothing
-- Cost: O(1); reads

local max = tonumber(ARGV[1])
if max == 0 then
  max = tonumber(redis.call('HGET', KEYS[2], 'max') or 0)
end
if max <= 0 or tonumber(redis.call('GET', KEYS[1]) or 0) < max then
  return 0
end
return math.max(0, redis.call('PTTL', KEYS[1]))
