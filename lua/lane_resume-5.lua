-- A paused lane is served again (echomq.md 4.6).
--
-- KEYS: 1 paused, 2 ring*, 3 glimit*, 4 gactive*, 5 wake*
-- ARGV: 1 queue base, `emq:{q}:`, 2 group
-- Returns: 1
-- Refuses: nothing
-- Cost: O(ring); writes

--@include lane
redis.call('SREM', KEYS[1], ARGV[2])
lane_offer(ARGV[1], ARGV[2])
return 1
