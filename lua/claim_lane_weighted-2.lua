-- Take as many jobs of the lane whose turn it is as its weight says, under leases with one deadline (echomq.md 4.2).
--
-- KEYS: 1 ring, 2 active
-- ARGV: 1 queue base, `emq:{q}:`, 2 lease in ms
-- Returns: rows of id, payload (nil: the row has none), token, group; or empty
-- Refuses: nothing
-- Cost: O(taken × (log lane + log active) + ring); writes

--@include serve
local function weight(group)
  return math.max(1, tonumber(redis.call('HGET', ARGV[1] .. 'gweight', group) or 1))
end
return serve(ARGV[1], KEYS[1], KEYS[2], ARGV[2], weight)
