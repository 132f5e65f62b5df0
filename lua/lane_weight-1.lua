-- How many jobs a weighted claim takes from a lane at its turn (echomq.md 4.6).
--
-- KEYS: 1 gweight
-- ARGV: 1 group, 2 weight, at least 1
-- Returns: 1
-- Refuses: nothing
-- Cost: O(1); writes

redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
