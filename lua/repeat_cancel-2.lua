-- Forget a repeating job; runs that were enqueued already stay (echomq.md 4.8).
-- KEYS: 1 repeat, 2 repeat:<name>
-- ARGV: 1 name
-- Returns: 1, or 0 where the name was not registered
-- Refuses: nothing
-- Cost: O(log n); writes

local removed = redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
return removed
