-- Forget the flat jobs that are ready; lanes, active, schedule and dead stay (echomq.md 4.5).
--
-- KEYS: 1 queue base, `emq:{q}:`, 2 pending
-- ARGV: none
-- Returns: how many
-- Refuses: nothing
-- Cost: O(pending); writes

--@include wipe
return wipe(KEYS[1], KEYS[2])
