--@include ring
-- Lanes: the jobs of one group that wait, and the count of those in flight. p is the queue's base, `emq:{q}:`.

local function lane_of(p, group)
  return p .. 'g:' .. group .. ':pending'
end

-- The job waits in its lane.
local function lane_in(p, group, id)
  redis.call('ZADD', lane_of(p, group), 0, id)
  ring_in(p, group)
end

-- The job waits there no longer; returns 1 if it did, else 0.
local function lane_out(p, group, id)
  local removed = redis.call('ZREM', lane_of(p, group), id)
  if redis.call('EXISTS', lane_of(p, group)) == 0 then
    ring_out(p, group)
  end
  return removed
end

-- Jobs of the lane, one unless said otherwise, are in flight no longer.
local function lane_slot_free(p, group, jobs)
  if redis.call('HINCRBY', p .. 'gactive', group, -(jobs or 1)) <= 0 then
    redis.call('HDEL', p .. 'gactive', group)
  end
end

-- The lane joins the ring if it has anything to serve.
local function lane_offer(p, group)
  if redis.call('EXISTS', lane_of(p, group)) == 1 then
    ring_in(p, group)
  end
end

-- One job of the lane is in flight no longer, and the next one may take its slot.
local function lane_left(p, group)
  lane_slot_free(p, group)
  lane_offer(p, group)
end
