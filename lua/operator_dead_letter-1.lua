-- Give chosen jobs up by hand, from active, pending, a lane or the schedule (echomq.md 10.5).
--
-- The end state is that of EchoMQ's own death at the cap; a job that was active has its token raised as well, so that a
-- late holder is answered EMQSTALE (10.2, rule 16).
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 `1` to force a live lease or a lock mark, 2 number of error texts: 1 for all, or one a job, then those texts;
--       then per job, at most 100: id, location, token, deadline
-- Returns: four values for each job left alone: its position from 0, reason, kind of note, note
-- Refuses: nothing as a whole; each job by its verdict
-- Cost: O(jobs × log location + ring), 6 calls a job, 5 more for a flow child; writes

--@include operator_guard
--@include operator_family
--@include operator_ready
--@include flow
local p, force, texts = KEYS[1], ARGV[1] == '1', tonumber(ARGV[2])
local died = 0

-- A parent that moved on by itself must not be dragged into dead, nor be released a second time.
local function parent_moved_on(job)
  if not operator_has_parent(job) or operator_parent_elsewhere(job) then return false end
  local state = operator_parent_state(p, job)
  if state == 'dead' and job.policy == 'id' then
    return tonumber(redis.call('GET', p .. 'job:' .. job.parent .. ':dependencies') or 0) <= 1
  end
  return state == 'active' or state == 'scheduled'
end

-- Is something beside the parent of another kind than what its child's death is told by?
local function parent_odd(job)
  if not operator_has_parent(job) or operator_parent_elsewhere(job) then return false end
  local parent = p .. 'job:' .. job.parent
  for _, part in ipairs({ ':failed', ':unsuccessful' }) do
    if type(redis.pcall('HLEN', parent .. part)) ~= 'number' then return true end
  end
  local waits = redis.pcall('GET', parent .. ':dependencies')
  return type(waits) == 'table' or not operator_countable(waits)
end

-- The parent may be one of the jobs still to come, so its place is looked up afresh.
local function tell_parent(job, by_id, error_text)
  if not operator_has_parent(job) then return end
  local here = not operator_parent_elsewhere(job)
  -- The flow step would give a parent without a row one.
  if here and not operator_parent_state(p, job) then return end
  flow_died(p, job.parent, job.parent_queue, job.policy, job.id, error_text)
  if here and operator_parent_state(p, job) == 'pending' then operator_wake(p, 1) end
  if here and by_id[job.parent] then operator_look(p, { by_id[job.parent] }) end
end

local function leave_place(job)
  if job.in_lane then
    lane_out(p, job.group, job.id)
    return
  end
  redis.call('ZREM', p .. job.place, job.id)
  if job.place == 'active' and job.group then lane_left(p, job.group) end
end

operator_permitted(p, 'DECR', 'job:')
local answer = operator_each(p, 3 + texts, function(job, now, by_id, at)
  if job.place == 'held' then return 'flow-parent', 'children', job.children end
  if job.place == 'dead' then return 'moved', 'place', job.place end
  local word, kind, note = operator_held(job, now, force)
  if word then return word, kind, note end
  if parent_odd(job) then return 'not-supported', '', 'what its parent keeps of its children cannot be read' end
  if parent_moved_on(job) then return 'flow-child', 'parent', job.parent end
  local error_text = ARGV[2 + (texts == 1 and 1 or at)]
  leave_place(job)
  redis.call('HSET', job.row, 'last_error', error_text, 'state', 'dead', 'attempts',
    operator_token(job, job.place == 'active' or operator_takes(job, force)))
  redis.call('ZADD', p .. 'dead', 0, job.id)
  tell_parent(job, by_id, error_text)
  died = died + 1
end)
-- What cannot be counted with is left as it is: the jobs are dead all the same.
if died > 0 and operator_countable(redis.call('HGET', p .. 'metrics:failed', 'count')) then
  redis.call('HINCRBY', p .. 'metrics:failed', 'count', died)
end
return answer
