-- How many jobs wait in each lane (echomq.md 4.5).
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 queue base, then groups
-- Returns: a number per group
-- Refuses: nothing
-- Cost: O(groups); reads

local found = {}
for at = 2, #ARGV do
  found[#found + 1] = redis.call('ZCARD', KEYS[1] .. 'g:' .. ARGV[at] .. ':pending')
end
return found
