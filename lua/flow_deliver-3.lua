-- Tell a parent that a child on another queue completed (echomq.md 4.9).
--
-- A second delivery of the same child changes nothing.
--
-- KEYS: 1 parent's dependencies*, 2 parent's processed, 3 parent row*
-- ARGV: 1 child id, 2 result, 3 parent id, 4 the parent's queue base, `emq:{q}:`
-- Returns: 1
-- Refuses: nothing
-- Cost: O(log pending); writes

--@include flow
if redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) == 1 then
  flow_count_down(ARGV[4], ARGV[3])
end
return 1
