--@include ready
-- Taking a job from a worker that lost its lease. p is the queue's base, `emq:{q}:`.

local function take_back(p, active, id, group)
  redis.call('ZREM', active, id)
  if group then
    lane_slot_free(p, group)
  end
end

-- The job is taken back and ready again; attempts stay.
local function reclaim(p, active, pending, id, group)
  take_back(p, active, id, group)
  make_ready(p, pending, id, group)
end
