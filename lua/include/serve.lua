--@include clock
--@include lane
--@include lease
-- Serving lanes in turn. p is the queue's base, `emq:{q}:`.

-- The group whose turn it is, or false; it moves to the end of the ring.
local function next_lane(ring)
  return redis.call('LMOVE', ring, ring, 'LEFT', 'RIGHT')
end

-- The count of a lane's jobs in flight rises by taken; a full or emptied lane leaves the ring.
local function lane_taken(p, group, taken)
  local in_flight = redis.call('HINCRBY', p .. 'gactive', group, taken)
  local limit = redis.call('HGET', p .. 'glimit', group)
  if (limit and in_flight >= tonumber(limit)) or redis.call('EXISTS', lane_of(p, group)) == 0 then
    ring_out(p, group)
  end
end

-- The next lane's oldest jobs under one deadline: at most quota_of(group) of them, never past its limit.
-- Returns rows of id, payload, token, group; none when the queue is paused or the lane has nothing to give.
local function serve(p, ring, active, lease_ms, quota_of)
  local group = not queue_paused(p) and next_lane(ring)
  if not group then
    return {}
  end
  local lane = lane_of(p, group)
  local take = math.min(redis.call('ZCARD', lane), quota_of(group))
  local limit = redis.call('HGET', p .. 'glimit', group)
  if limit then
    take = math.min(take, tonumber(limit) - tonumber(redis.call('HGET', p .. 'gactive', group) or 0))
  end
  if take <= 0 then
    ring_out(p, group)
    return {}
  end
  local deadline = now_ms() + tonumber(lease_ms)
  local jobs = {}
  for _ = 1, take do
    local id = redis.call('ZPOPMIN', lane)[1]
    local payload, token = lease(p, active, id, deadline)
    jobs[#jobs + 1] = { id, payload, token, group }
  end
  lane_taken(p, group, take)
  return jobs
end
