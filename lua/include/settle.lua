--@include lane
-- A worker ends its hold on a job, wherever a recovery sweep may have put it meanwhile: the job leaves active with the
-- bookkeeping of its lane, or else leaves the place where it waits. Returns 1 if it was active, else 0.
local function leave(p, active, id, group)
  local was = redis.call('ZREM', active, id)
  if group then
    if was == 1 then
      lane_left(p, group)
    else
      lane_out(p, group, id)
    end
  elseif was == 0 then
    redis.call('ZREM', p .. 'pending', id)
  end
  return was
end
