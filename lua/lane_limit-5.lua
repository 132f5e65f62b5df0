-- Limit how many jobs of a lane are in flight at once (echomq.md 4.6).
--
-- KEYS: 1 glimit, 2 gactive, 3 ring*, 4 paused*, 5 wake*
-- ARGV: 1 queue base, `emq:{q}:`, 2 group, 3 limit, at least 1
-- Returns: 1
-- Refuses: nothing
-- Cost: O(ring); writes

--@include lane
local p, group, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
redis.call('HSET', KEYS[1], group, ARGV[3])
if tonumber(redis.call('HGET', KEYS[2], group) or 0) >= limit then
  ring_out(p, group)
else
  lane_offer(p, group)
end
return 1
