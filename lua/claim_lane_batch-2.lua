-- Take jobs of the lane whose turn it is, as many as its limit leaves room for, with one deadline (echomq.md 4.2).
--
-- KEYS: 1 ring, 2 active
-- ARGV: 1 queue base, `emq:{q}:`, 2 lease in ms
-- Returns: rows of id, payload (nil: the row has none), token, group; or empty
-- Refuses: nothing
-- Cost: O(taken × (log lane + log active) + ring), a lane without limit is taken whole; writes

--@include serve
local function whole()
  return math.huge
end
return serve(ARGV[1], KEYS[1], KEYS[2], ARGV[2], whole)
