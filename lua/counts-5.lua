-- How many jobs each flat set holds, and what the counters say; lanes are not counted (echomq.md 4.5).
--
-- KEYS: 1 queue base, `emq:{q}:`, 2 pending, 3 active, 4 schedule, 5 dead
-- ARGV: names of metrics, `completed`, `failed`
-- Returns: the size of each set, then each counter
-- Refuses: nothing
-- Cost: O(1); reads

local found = {}
for at = 2, 5 do
  found[#found + 1] = redis.call('ZCARD', KEYS[at])
end
for _, metric in ipairs(ARGV) do
  found[#found + 1] = tonumber(redis.call('HGET', KEYS[1] .. 'metrics:' .. metric, 'count') or 0)
end
return found
