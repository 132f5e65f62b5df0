-- Forget a repeating job; its runs that were enqueued already stay (echomq.md 4.8).
--
-- KEYS: 1 repeat, 2 repeat:<name>
-- ARGV: 1 name
-- Returns: 1 forgotten, 0 the name was not registered
-- Refuses: nothing
-- Cost: O(log repeat); writes

local removed = redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
return removed
