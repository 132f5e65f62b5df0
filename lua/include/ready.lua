--@include lane
-- The job is ready again: in the lane of its row, or in the flat set. p is the queue's base, pending that set's key.
local function make_ready(p, pending, id, group)
  if group then
    lane_in(p, group, id)
  else
    redis.call('ZADD', pending, 0, id)
  end
  redis.call('HSET', p .. 'job:' .. id, 'state', 'pending')
end
