-- Note how far a job is, and tell the listeners of the queue (echomq.md 4.7, 5).
--
-- KEYS: 1 row
-- ARGV: 1 progress, 2 id, 3 queue base, `emq:{q}:`
-- Returns: 1, or -1 where the job is gone
-- Refuses: nothing
-- Cost: O(listeners); writes

if redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
redis.call('HSET', KEYS[1], 'progress', ARGV[1])
redis.call('PUBLISH', ARGV[3] .. 'events', cjson.encode({ event = 'progress', job = ARGV[2], progress = ARGV[1] }))
return 1
