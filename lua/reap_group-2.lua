-- Make jobs of one lane ready again whose lease ran out (echomq.md 4.4).
--
-- Looks at the first overdue jobs of the whole queue only, so a crowd of other lanes hides this one's, as in EchoMQ
-- (echomq.md 10.3, 26).
--
-- KEYS: 1 active, 2 queue base, `emq:{q}:`
-- ARGV: 1 group, 2 how many overdue jobs to look at
-- Returns: how many became ready
-- Refuses: nothing
-- Cost: O(log active + looked at × (log lane + ring)); writes

--@include overdue
--@include reclaim
local moved = 0
for _, id in ipairs(overdue(KEYS[1], ARGV[2])) do
  if redis.call('HGET', KEYS[2] .. 'job:' .. id, 'group') == ARGV[1] then
    reclaim(KEYS[2], KEYS[1], KEYS[2] .. 'pending', id, ARGV[1])
    moved = moved + 1
  end
end
return moved
