-- No claim gets anything from the queue until it is resumed; what runs goes on (echomq.md 4.5).
--
-- KEYS: 1 meta
-- ARGV: none
-- Returns: 1
-- Refuses: nothing
-- Cost: O(1); writes

redis.call('HSET', KEYS[1], 'paused', '1')
return 1
