-- Forget the flat jobs that are ready and those that are scheduled (echomq.md 4.5).
--
-- KEYS: 1 queue base, `emq:{q}:`, 2 pending, 3 schedule
-- ARGV: none
-- Returns: how many
-- Refuses: nothing
-- Cost: O(pending + schedule); writes

--@include wipe
return wipe(KEYS[1], KEYS[2]) + wipe(KEYS[1], KEYS[3])
