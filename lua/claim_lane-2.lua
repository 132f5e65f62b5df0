-- Take the oldest job of the lane whose turn it is under a lease (echomq.md 4.2).
--
-- The pause of the queue is looked at here, as in claim. An emptied lane leaves the ring with an empty answer, while
-- other lanes may have work: ask again while the ring is not empty.
--
-- KEYS: 1 ring, 2 active
-- ARGV: 1 queue base, `emq:{q}:`, 2 lease in ms
-- Returns: id, payload (nil: the row has none), token, group; or empty
-- Refuses: nothing
-- Cost: O(log lane + log active + ring); writes

--@include clock
--@include serve
local p = ARGV[1]
local group = not queue_paused(p) and next_lane(KEYS[1])
if not group then
  return {}
end
local id = redis.call('ZPOPMIN', lane_of(p, group))[1]
if not id then
  ring_out(p, group)
  return {}
end
local payload, token = lease(p, KEYS[2], id, now_ms() + tonumber(ARGV[2]))
lane_taken(p, group, 1)
return { id, payload, token, group }
