-- Settle a job as failed: it waits for its next attempt, or is dead at the cap (echomq.md 4.3, 4.9).
--
-- The flow parent is found as in complete.
--
-- KEYS: 1 active, 2 schedule, 3 dead, 4 row
-- ARGV: 1 id, 2 token, 3 delay in ms, 4 attempts at most, 5 error, 6 queue base, `emq:{q}:`
-- Returns: `scheduled` or `dead`
-- Refuses: EMQSTALE another claim holds the job, or it is gone
-- Cost: O(log active + log lane + log schedule + ring); writes

--@include clock
--@include settle
--@include flow
local id, p = ARGV[1], ARGV[6]
local attempts, group, parent, parent_queue, parent_policy =
  unpack(redis.call('HMGET', KEYS[4], 'attempts', 'group', 'parent', 'parent_queue', 'parent_policy'))
if not attempts then
  return redis.error_reply('EMQSTALE job gone')
end
if attempts ~= ARGV[2] then
  return redis.error_reply('EMQSTALE retry token mismatch')
end
leave(p, KEYS[1], id, group)
if tonumber(attempts) < tonumber(ARGV[4]) then
  redis.call('HSET', KEYS[4], 'last_error', ARGV[5], 'state', 'scheduled')
  redis.call('ZADD', KEYS[2], now_ms() + tonumber(ARGV[3]), id)
  return 'scheduled'
end
redis.call('HSET', KEYS[4], 'last_error', ARGV[5], 'state', 'dead')
redis.call('ZADD', KEYS[3], 0, id)
redis.call('HINCRBY', p .. 'metrics:failed', 'count', 1)
if parent then
  flow_died(p, parent, parent_queue, parent_policy, id, ARGV[5])
end
return 'dead'
