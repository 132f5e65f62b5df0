-- Replace the payload of a job (echomq.md 4.7).
--
-- KEYS: 1 row
-- ARGV: 1 payload
-- Returns: 1, or -1 where the job is gone
-- Refuses: nothing
-- Cost: O(1); writes

if redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
redis.call('HSET', KEYS[1], 'payload', ARGV[1])
return 1
