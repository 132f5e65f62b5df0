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

-- Members with score 0 for one ZADD: those of the flat set, and of each lane in the order in which lanes are met.
local function operator_homes(jobs)
  local flat, lanes, groups = {}, {}, {}
  for _, job in ipairs(jobs) do
    local home = flat
    if job.group then
      home = lanes[job.group]
      if not home then
        home, groups[#groups + 1] = {}, job.group
        lanes[job.group] = home
      end
    end
    home[#home + 1] = 0
    home[#home + 1] = job.id
  end
  return flat, lanes, groups
end

-- From the set named `from` each into its own lane or the flat set, in one call a set; rows are the caller's.
local function operator_ready(p, from, jobs)
  if #jobs == 0 then return end
  local ids = {}
  for at, job in ipairs(jobs) do
    ids[at] = job.id
  end
  redis.call('ZREM', p .. from, unpack(ids))
  local flat, lanes, groups = operator_homes(jobs)
  for _, group in ipairs(groups) do
    if from == 'active' then lane_slot_free(p, group, #lanes[group] / 2) end
    redis.call('ZADD', lane_of(p, group), unpack(lanes[group]))
    ring_in(p, group)
  end
  if #flat > 0 then
    redis.call('ZADD', p .. 'pending', unpack(flat))
    operator_wake(p, #flat / 2)
  end
end
