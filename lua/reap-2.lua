-- Make jobs ready again whose lease ran out, earliest deadline first, at most 100 (echomq.md 4.4).
--
-- KEYS: 1 active, 2 pending
-- ARGV: 1 queue base, `emq:{q}:`
-- Returns: how many became ready
-- Refuses: nothing
-- Cost: O(log active + moved × (log pending + ring)); writes

--@include overdue
--@include reclaim
local lapsed = overdue(KEYS[1], 100)
for _, id in ipairs(lapsed) do
  reclaim(ARGV[1], KEYS[1], KEYS[2], id, redis.call('HGET', ARGV[1] .. 'job:' .. id, 'group'))
end
return #lapsed
