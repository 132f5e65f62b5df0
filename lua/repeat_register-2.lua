-- Register a repeating job (echomq.md 4.8).
--
-- KEYS: 1 repeat, 2 repeat:<name>
-- ARGV: 1 name, 2 period in ms, 3 template: the payload of each run, 4 first run, ms of the caller's clock
-- Returns: 1 registered, 0 the name is registered already
-- Refuses: nothing
-- Cost: O(log repeat); writes

if redis.call('EXISTS', KEYS[2]) == 1 then
  return 0
end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
