-- Claims get jobs again; nobody is woken (echomq.md 4.5).
--
-- KEYS: 1 meta
-- ARGV: none
-- Returns: 1
-- Refuses: nothing
-- Cost: O(1); writes

redis.call('HDEL', KEYS[1], 'paused')
return 1
