-- What a job owes its flow (echomq.md 10.2, rules 18 to 21). p is the queue's base, `emq:{q}:`.

-- Few jobs have a parent: what leads to it is read where it is needed.
local function operator_has_parent(job)
  if not job.parent or job.parent == '' then return false end
  job.parent_queue, job.policy = unpack(redis.call('HMGET', job.row, 'parent_queue', 'parent_policy'))
  return true
end

local function operator_parent_elsewhere(job)
  return job.parent_queue and job.parent_queue ~= ''
end

-- State of the parent in this queue; false without a row.
local function operator_parent_state(p, job)
  return redis.call('HGET', p .. 'job:' .. job.parent, 'state')
end

-- Has the parent been told of this child's death?
local function operator_told(p, job)
  local parent = p .. 'job:' .. job.parent
  return redis.call('HEXISTS', parent .. ':failed', job.id) + redis.call('HEXISTS', parent .. ':unsuccessful', job.id) > 0
end

-- Children that will still report to the job. One whose death failed the parent was never counted down.
local function operator_waits_for(job)
  if job.children <= 0 then return 0 end
  return job.children - redis.call('HLEN', job.row .. ':failed')
end
