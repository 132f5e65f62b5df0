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

-- Where the jobs lie and what is kept beside their rows, in one call a set, not one a job.
local function operator_look(p, jobs)
  local ids, beside = {}, {}
  for at, job in ipairs(jobs) do
    ids[at] = job.id
    beside[2 * at - 1] = job.row .. ':lock'
    beside[2 * at] = job.row .. ':dependencies'
  end
  for _, set in ipairs(operator_sets) do
    local scores = redis.call('ZMSCORE', p .. set, unpack(ids))
    for at, job in ipairs(jobs) do
      job[set] = tonumber(scores[at] or nil)
    end
  end
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
    local job = { id = ARGV[at], row = p .. 'job:' .. ARGV[at], seen = ARGV[at + 1], seen_token = ARGV[at + 2],
      seen_deadline = ARGV[at + 3] }
    jobs[#jobs + 1], by_id[job.id] = job, job
  end
  operator_look(p, jobs)
  return jobs, by_id
end

local function operator_places(p, job)
  local places = {}
  for _, set in ipairs(operator_sets) do
    if job[set] then places[#places + 1] = set end
  end
  job.in_lane = job.group and redis.call('ZSCORE', lane_of(p, job.group), job.id)
  if job.in_lane then places[#places + 1] = places[1] == 'pending' and 'lane' or 'pending' end
  return places
end

-- Is the job whole, and as it was seen? nil if so, else the verdict: reason, kind of note, note.
local function operator_judge(p, job, now)
  local state, token
  state, token, job.group, job.parent, job.parent_queue, job.policy, job.lock = unpack(redis.call('HMGET', job.row,
    'state', 'attempts', 'group', 'parent', 'parent_queue', 'parent_policy', 'lock'))
  local places = operator_places(p, job)
  if redis.call('HEXISTS', job.row, 'payload') == 0 then
    if redis.call('EXISTS', job.row) == 1 then return 'no-payload' end
    return #places > 0 and 'no-row' or 'gone'
  end
  if #places > 1 then return 'second-location', 'places', table.concat(places, ' and ') end
  job.place = places[1] or (state == 'awaiting_children' and 'held')
  if not job.place or operator_states[job.place] ~= state then
    return 'state-differs', 'state', state or ''
  end
  if job.place ~= job.seen then return 'moved', 'location', job.place end
  if job.seen_token ~= '-' and job.seen_token ~= token then return 'moved', 'token', token or '' end
  if job.active and job.seen_deadline ~= '-' and tonumber(job.seen_deadline) ~= job.active then
    return 'renewed', 'lease', job.active - now
  end
  job.token = tonumber(token or 0) or 0
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
  for _, job in ipairs(jobs) do
    local word, kind, note = operator_judge(p, job, now)
    if not word then word, kind, note = act(job, now, by_id) end
    if type(note) == 'number' then note = string.format('%.0f', note) end
    answer[#answer + 1] = word or 'done'
    answer[#answer + 1] = kind or ''
    answer[#answer + 1] = note or ''
  end
  return answer
end
