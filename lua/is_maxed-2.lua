-- Is the queue at its concurrency ceiling? Advice to workers; no claim looks at it (echomq.md 4.5).
--
-- KEYS: 1 meta, 2 active
-- ARGV: none
-- Returns: 0: there is room, or no ceiling
-- Refuses: EMQRATE at the ceiling
-- Cost: O(1); reads

local ceiling = tonumber(redis.call('HGET', KEYS[1], 'concurrency') or 0)
if ceiling > 0 and redis.call('ZCARD', KEYS[2]) >= ceiling then
  return redis.error_reply('EMQRATE at concurrency ceiling')
end
return 0
