--@include clock
--@include lane
--@include operator_lane
-- What the operator saw of each job against what is there now (echomq.md 10.2). p is the queue's base, `emq:{q}:`.

local operator_sets = { 'pending', 'active', 'schedule', 'dead' }
local operator_states = {
  pending = 'pending', active = 'active', schedule = 'scheduled', dead = 'dead', held = 'awaiting_children',
}

-- What operators' scripts write, and read between writes, one example each. UNLINK is the business of those that remove.
local operator_needs = {
  { 'ZADD', 'active' }, { 'ZREM', 'active' }, { 'HSET', 'job:' }, { 'HDEL', 'job:' }, { 'HINCRBY', 'gactive' },
  { 'LPUSH', 'wake' }, { 'LTRIM', 'wake' }, { 'RPUSH', 'ring' }, { 'LREM', 'ring' }, { 'LPOS', 'ring' },
  { 'SISMEMBER', 'paused' }, { 'HGET', 'glimit' }, { 'EXISTS', 'job:' },
}

-- Redis 6 cannot be asked.
local function operator_permitted(p, command, part, ...)
  if redis.acl_check_cmd and not redis.acl_check_cmd(command, p .. part, ...) then
    error(redis.error_reply('NOPERM this user has no permission to run ' .. command .. ' on the queue'))
  end
end

-- A script is not rolled back: a missing right or a key of the wrong type has to fail here, before the first write.
local function operator_sound(p)
  for _, need in ipairs(operator_needs) do
    operator_permitted(p, need[1], need[2])
  end
  redis.call('LLEN', p .. 'ring')
  redis.call('LLEN', p .. 'wake')
  redis.call('LLEN', p .. 'flow:outbox')
  redis.call('SCARD', p .. 'paused')
  redis.call('HLEN', p .. 'gactive')
  redis.call('HLEN', p .. 'glimit')
  redis.call('HLEN', p .. 'metrics:failed')
end

-- Notes that the job lies in this place; in_lane: in the lane that its row names.
local function operator_found(job, place, score, in_lane)
  if job.place then
    if in_lane and job.place == 'pending' then place = 'lane' end
    job.twice = (job.twice or job.place) .. ' and ' .. place
  else
    job.place, job.score, job.in_lane = place, tonumber(score), in_lane
  end
end

local function operator_search(set, jobs, ids, place, in_lane)
  for at, score in ipairs(redis.call('ZMSCORE', set, unpack(ids))) do
    if score then operator_found(jobs[at], place, score, in_lane) end
  end
end

local function operator_rows(jobs)
  for _, job in ipairs(jobs) do
    local row = job.row
    job.state, job.attempts, job.group, job.parent, job.lock =
      unpack(redis.call('HMGET', row, 'state', 'attempts', 'group', 'parent', 'lock'))
    job.payload = redis.call('HEXISTS', row, 'payload') == 1
  end
end

local function operator_lanes(p, jobs)
  local lanes, ids = {}, {}
  for _, job in ipairs(jobs) do
    local group = job.group
    if group then
      if not lanes[group] then lanes[group], ids[group] = {}, {} end
      table.insert(lanes[group], job)
      table.insert(ids[group], job.id)
    end
  end
  for group, there in pairs(lanes) do
    operator_search(lane_of(p, group), there, ids[group], 'pending', true)
  end
end

-- Reads the jobs: where they lie, their rows, what is kept beside those. Two calls a job, one for each set and lane.
local function operator_look(p, jobs)
  local ids, beside = {}, {}
  for at, job in ipairs(jobs) do
    job.place, job.twice = false, false
    ids[at] = job.id
    beside[2 * at - 1] = job.row .. ':lock'
    beside[2 * at] = job.row .. ':dependencies'
  end
  for _, set in ipairs(operator_sets) do
    operator_search(p .. set, jobs, ids, set, false)
  end
  operator_rows(jobs)
  operator_lanes(p, jobs)
  local values = redis.call('MGET', unpack(beside))
  for at, job in ipairs(jobs) do
    job.lock = job.lock or values[2 * at - 1]
    job.children = tonumber(values[2 * at] or 0) or 0
  end
end

-- The jobs named in ARGV from `first` on, four values each: id, location, token, deadline in ms; `-` was not seen.
local function operator_jobs(p, first)
  local argv, root, jobs, by_id = ARGV, p .. 'job:', {}, {}
  for at = first, #argv, 4 do
    local id = argv[at]
    local job = {
      id = id, row = root .. id, seen = argv[at + 1], seen_token = argv[at + 2], seen_deadline = argv[at + 3],
      -- Room for what operator_look finds: a table that grows field by field costs more than the reads.
      place = false, score = false, in_lane = false, twice = false, state = false, attempts = false, group = false,
      parent = false, lock = false, payload = false, children = 0,
    }
    jobs[#jobs + 1], by_id[id] = job, job
  end
  operator_look(p, jobs)
  return jobs, by_id
end

-- A foreign number as it is shown: whole, and never beyond what a double holds exactly.
local function operator_whole(number)
  local bounded = math.max(-2^53, math.min(2^53, number))
  return bounded < 0 and math.ceil(bounded) or math.floor(bounded)
end

local function operator_token_as_seen(job)
  if job.seen_token == '-' or job.seen_token == job.attempts then return true end
  local number = tonumber(job.attempts or '')
  return number and operator_whole(number) == tonumber(job.seen_token)
end

-- Is the job whole, and as it was seen? nil if so, else the verdict: reason, kind of note, note.
local function operator_judge(job, now)
  if not job.payload then
    if redis.call('EXISTS', job.row) == 1 then return 'no-payload' end
    return job.place and 'no-row' or 'gone'
  end
  if job.twice then return 'second-location', 'places', job.twice end
  local state = job.state
  local place = job.place or (state == 'awaiting_children' and 'held')
  if not place or operator_states[place] ~= state then return 'state-differs', 'state', state or '' end
  if place ~= job.seen then return 'moved', 'location', place end
  if not operator_token_as_seen(job) then return 'moved', 'token', job.attempts or '' end
  if place == 'active' and job.seen_deadline ~= '-' and tonumber(job.seen_deadline) ~= operator_whole(job.score) then
    return 'renewed', 'lease', job.score - now
  end
  job.place = place
end

-- A live lease and the mark of a worker are respected, unless the operator forces.
local function operator_held(job, now, force)
  if force then return end
  if job.place == 'active' and job.score > now then return 'lease-live', 'lease', job.score - now end
  if job.lock then return 'locked', 'marker', redis.call('PTTL', job.row .. ':lock') end
end

-- Raised, a token answers EMQSTALE to whoever held it, in every word from here on.
local function operator_raised(attempts)
  return string.format('%.0f', operator_whole(tonumber(attempts or 0) or 0) + 1)
end

-- The token that the job goes on with.
local function operator_token(job, raise)
  return raise and operator_raised(job.attempts) or job.attempts or 0
end

-- Does force take the job from anybody?
local function operator_takes(job, force)
  return force and (job.place == 'active' or job.lock)
end

-- Judges each job of ARGV from `first` on and lets act have those that are as they were seen.
-- act is given the job, the time, all jobs by id and its position from 1; it answers nil, or a verdict of its own.
-- Returns four values for each job that was left alone: its position from 0, reason, kind of note, note.
local function operator_each(p, first, act)
  operator_sound(p)
  local now, answer, odd = now_ms(), {}, {}
  local jobs, by_id = operator_jobs(p, first)
  for at, job in ipairs(jobs) do
    local word, kind, note = operator_judge(job, now)
    local group = job.group
    if group and odd[group] == nil then odd[group] = operator_lane_odd(p, group) or false end
    if not word and group and odd[group] then
      word, kind, note = 'not-supported', '', odd[group] .. ' of its lane is no number'
    end
    if not word then word, kind, note = act(job, now, by_id, at) end
    if word then
      if type(note) == 'number' then note = string.format('%.0f', note) end
      for _, part in ipairs({ at - 1, word, kind or '', note or '' }) do
        answer[#answer + 1] = part
      end
    end
  end
  return answer
end
