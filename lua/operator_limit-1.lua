-- Set or lift the ceiling of a lane, and say whether that changed anything (echomq.md 4.6).
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 group, 2 jobs in flight at most, or empty for no ceiling
-- Returns: 1 changed, 0 it was so already
-- Refuses: EMQSTATE, and nothing changes: the lane's jobs in flight cannot be counted with
-- Cost: O(ring); writes

--@include lane
--@include operator_lane
local p, group, limit = KEYS[1], ARGV[1], tonumber(ARGV[2])
if operator_lane_odd(p, group) == 'gactive' then
  return redis.error_reply('EMQSTATE gactive of the lane is no number')
end
local before = redis.call('HGET', p .. 'glimit', group)
if limit then
  redis.call('HSET', p .. 'glimit', group, ARGV[2])
else
  redis.call('HDEL', p .. 'glimit', group)
end
if limit and tonumber(redis.call('HGET', p .. 'gactive', group) or 0) >= limit then
  ring_out(p, group)
else
  lane_offer(p, group)
end
return before == (limit and ARGV[2] or false) and 0 or 1
