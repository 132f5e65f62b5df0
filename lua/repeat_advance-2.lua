-- Set the next run of a repeating job; one that was cancelled meanwhile stays so (echomq.md 4.8).
--
-- KEYS: 1 repeat, 2 repeat:<name>
-- ARGV: 1 name, 2 next run, ms of the caller's clock
-- Returns: 1 set, 0 the name is not registered
-- Refuses: nothing
-- Cost: O(log repeat); writes

if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
return 1
