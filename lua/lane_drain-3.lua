-- Forget the jobs that wait in a lane; its limit, pause and what runs stay (echomq.md 4.6).
--
-- KEYS: 1 queue base, `emq:{q}:`, 2 lane, 3 ring
-- ARGV: 1 group
-- Returns: how many
-- Refuses: nothing
-- Cost: O(lane + ring); writes

--@include wipe
local forgotten = wipe(KEYS[1], KEYS[2])
redis.call('LREM', KEYS[3], 0, ARGV[1])
return forgotten
