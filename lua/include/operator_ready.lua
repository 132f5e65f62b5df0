--@include lane
-- Jobs become ready by an operator's hand. p is the queue's base, `emq:{q}:`.

-- Flat work has no ring that would announce it: a token for each job, at most the 64 that the list keeps.
local function operator_wake(p, jobs)
  local tokens = {}
  for at = 1, math.min(jobs, 64) do
    tokens[at] = '1'
  end
  redis.call('LPUSH', p .. 'wake', unpack(tokens))
  redis.call('LTRIM', p .. 'wake', 0, 63)
end

-- From the set named `from` each into its own lane or the flat set, in one call a set; rows are the caller's.
local function operator_ready(p, from, jobs)
  local ids, flat = {}, {}
  for at, job in ipairs(jobs) do
    ids[at] = job.id
    if job.group then
      if from == 'active' then lane_slot_free(p, job.group) end
      lane_in(p, job.group, job.id)
    else
      flat[#flat + 1] = 0
      flat[#flat + 1] = job.id
    end
  end
  if #ids > 0 then redis.call('ZREM', p .. from, unpack(ids)) end
  if #flat > 0 then
    redis.call('ZADD', p .. 'pending', unpack(flat))
    operator_wake(p, #flat / 2)
  end
end
