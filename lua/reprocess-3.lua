-- Make a dead job ready in the flat set, its attempts as they were (echomq.md 4.7).
--
-- KEYS: 1 row, 2 dead, 3 pending
-- ARGV: 1 id
-- Returns: 1, or -1 where the job is gone
-- Refuses: EMQSTATE the job is not dead
-- Cost: O(log dead + log pending); writes

if redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then
  return redis.error_reply('EMQSTATE not dead')
end
redis.call('HDEL', KEYS[1], 'last_error')
redis.call('HSET', KEYS[1], 'state', 'pending')
redis.call('ZADD', KEYS[3], 0, ARGV[1])
return 1
