--@include clock
--@include lane
-- What the operator saw of each job against what is there now (echomq.md 10.2). p is the queue's base, `emq:{q}:`.

local operator_sets = { 'pending', 'active', 'schedule', 'dead' }
local operator_states = {
  pending = 'pending', active = 'active', schedule = 'scheduled', dead = 'dead', held = 'awaiting_children',
}

-- What operators' scripts write, one example each. UNLINK is the business of those that remove.
local operator_writes = {
  { 'ZADD', 'active' }, { 'ZREM', 'active' }, { 'HSET', 'job:' }, { 'HDEL', 'job:' }, { 'HINCRBY', 'gactive' },
  { 'LPUSH', 'wake' }, { 'LTRIM', 'wake' }, { 'RPUSH', 'ring' }, { 'LREM', 'ring' },
}

-- Redis 6 cannot be asked.
local function operator_permitted(p, command, part, ...)
  if redis.acl_check_cmd and not redis.acl_check_cmd(command, p .. part, ...) then
    error(redis.error_reply('NOPERM this user has no permission to run ' .. command .. ' on the queue'))
  end
end

-- A script is not rolled back: a missing right or a key of the wrong type has to fail here, before the first write.
local function operator_sound(p)
  for _, write in ipairs(operator_writes) do
    operator_permitted(p, write[1], write[2], '0', '0')
  end
  redis.call('LLEN', p .. 'ring')
  redis.call('LLEN', p .. 'wake')
  redis.call('LLEN', p .. 'flow:outbox')
  redis.call('SCARD', p .. 'paused')
  redis.call('HLEN', p .. 'gactive')
  redis.call('HLEN', p .. 'glimit')
  redis.call('HLEN', p .. 'metrics:failed')
end

-- The scores of the jobs in one set, in one call; kept under `name`, nil where the set does not hold the job.
local function operator_scores(set, jobs, ids, name)
  local scores = redis.call('ZMSCORE', set, unpack(ids))
  for at, job in ipairs(jobs) do
    job[name] = tonumber(scores[at] or nil)
  end
end

local function operator_rows(jobs)
  for _, job in ipairs(jobs) do
    job.state, job.attempts, job.group, job.parent, job.parent_queue, job.policy, job.lock = unpack(redis.call('HMGET',
      job.row, 'state', 'attempts', 'group', 'parent', 'parent_queue', 'parent_policy', 'lock'))
    job.payload = redis.call('HEXISTS', job.row, 'payload') == 1
  end
end

local function operator_lanes(p, jobs)
  local lanes, ids = {}, {}
  for _, job in ipairs(jobs) do
    job.in_lane = nil
    if job.group then
      if not lanes[job.group] then lanes[job.group], ids[job.group] = {}, {} end
      table.insert(lanes[job.group], job)
      table.insert(ids[job.group], job.id)
    end
  end
  for group, there in pairs(lanes) do
    operator_scores(lane_of(p, group), there, ids[group], 'in_lane')
  end
end

-- Reads the jobs: where they lie, their rows, what is kept beside those. Two calls a job, one for each set and lane.
local function operator_look(p, jobs)
  local ids, beside = {}, {}
  for at, job in ipairs(jobs) do
    ids[at] = job.id
    beside[2 * at - 1] = job.row .. ':lock'
    beside[2 * at] = job.row .. ':dependencies'
  end
  for _, set in ipairs(operator_sets) do
    operator_scores(p .. set, jobs, ids, set)
  end
  operator_rows(jobs)
  operator_lanes(p, jobs)
  local values = redis.call('MGET', unpack(beside))
  for at, job in ipairs(jobs) do
    job.marker = values[2 * at - 1]
    job.children = tonumber(values[2 * at] or 0) or 0
  end
end

-- The jobs named in ARGV from `first` on, four values each: id, location, token, deadline in ms; `-` was not seen.
local function operator_jobs(p, first)
  local jobs, by_id = {}, {}
  for at = first, #ARGV, 4 do
    local job = {
      id = ARGV[at], row = p .. 'job:' .. ARGV[at], seen = ARGV[at + 1], seen_token = ARGV[at + 2],
      seen_deadline = ARGV[at + 3],
      -- Room for what operator_look finds: a table that grows field by field costs more than the reads.
      pending = false, active = false, schedule = false, dead = false, in_lane = false, marker = false, children = 0,
      state = false, attempts = false, group = false, parent = false, parent_queue = false, policy = false, lock = false,
      payload = false, place = false, token = 0,
    }
    jobs[#jobs + 1], by_id[job.id] = job, job
  end
  operator_look(p, jobs)
  return jobs, by_id
end

local function operator_places(job)
  local places = {}
  for _, set in ipairs(operator_sets) do
    if job[set] then places[#places + 1] = set end
  end
  if job.in_lane then places[#places + 1] = job.pending and 'lane' or 'pending' end
  return places
end

-- Is the job whole, and as it was seen? nil if so, else the verdict: reason, kind of note, note.
local function operator_judge(job, now)
  local places = operator_places(job)
  if not job.payload then
    if redis.call('EXISTS', job.row) == 1 then return 'no-payload' end
    return #places > 0 and 'no-row' or 'gone'
  end
  if #places > 1 then return 'second-location', 'places', table.concat(places, ' and ') end
  job.place = places[1] or (job.state == 'awaiting_children' and 'held')
  if not job.place or operator_states[job.place] ~= job.state then
    return 'state-differs', 'state', job.state or ''
  end
  if job.place ~= job.seen then return 'moved', 'location', job.place end
  if job.seen_token ~= '-' and job.seen_token ~= job.attempts then return 'moved', 'token', job.attempts or '' end
  if job.active and job.seen_deadline ~= '-' and tonumber(job.seen_deadline) ~= job.active then
    return 'renewed', 'lease', job.active - now
  end
  job.token = tonumber(job.attempts or 0) or 0
end

-- A live lease and the mark of a worker are respected, unless the operator forces.
local function operator_held(job, now, force)
  if force then return end
  if job.active and job.active > now then return 'lease-live', 'lease', job.active - now end
  if job.marker or job.lock then return 'locked', 'marker', redis.call('PTTL', job.row .. ':lock') end
end

-- Whoever held the job holds it no longer: every word of theirs is answered EMQSTALE from here on.
local function operator_fence(job, force)
  return force and (job.active or job.marker or job.lock) and job.token + 1 or job.token
end

-- Judges each job of ARGV from `first` on and lets act have those that are as they were seen.
-- act answers nil, or a verdict of its own. Returns three values a job: reason or `done`, kind of note, note.
local function operator_each(p, first, act)
  operator_sound(p)
  local now, answer = now_ms(), {}
  local jobs, by_id = operator_jobs(p, first)
  for at, job in ipairs(jobs) do
    local word, kind, note = operator_judge(job, now)
    if not word then word, kind, note = act(job, now, by_id) end
    if type(note) == 'number' then note = string.format('%.0f', note) end
    answer[3 * at - 2], answer[3 * at - 1], answer[3 * at] = word or 'done', kind or '', note or ''
  end
  return answer
end
