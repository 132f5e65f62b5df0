-- Tell a parent that a child on another queue died (echomq.md 4.9).
--
-- A second delivery of the same child changes nothing. A parent that dies of it and is a child itself leaves an entry
-- for its own parent in the outbox of its queue.
--
-- KEYS: 1 parent's dependencies*, 2 parent's failed, 3 parent's unsuccessful, 4 parent row*
-- ARGV: 1 child id, 2 error, 3 policy, 4 the parent's queue base, `emq:{q}:`, 5 parent id
-- Returns: 1
-- Refuses: nothing
-- Cost: O(log dead + log pending); writes

--@include flow
if ARGV[3] == 'fp' then
  if redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) == 1 then
    flow_kill(ARGV[4], ARGV[5], ARGV[2])
  end
elseif redis.call('HSETNX', KEYS[3], ARGV[1], ARGV[2]) == 1 then
  flow_count_down(ARGV[4], ARGV[5])
end
return 1
