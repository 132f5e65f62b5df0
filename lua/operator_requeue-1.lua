-- Bring chosen dead jobs back, each into its own lane or the flat pending set, or to a due time (echomq.md 10.2, 10.5).
--
-- Unlike EchoMQ's own reprocess, a grouped job goes where lane workers look for it (rule 13).
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 `1` to force a lock mark, 2 `1` to start the attempts afresh, 3 number of due times: 1 for all, or one a job,
--       then those, each in ms, or empty for at once; then per job, at most 100: id, location, token, deadline
-- Returns: four values for each job left alone: its position from 0, reason, kind of note, note
-- Refuses: nothing as a whole; each job by its verdict
-- Cost: O(jobs × log dead + ring), 6 calls a job, 3 more for a flow child; writes

--@include operator_guard
--@include operator_family
--@include operator_ready
local p, force, afresh, dues = KEYS[1], ARGV[1] == '1', ARGV[2] == '1', tonumber(ARGV[3])
local ready = {}

-- A second life would be counted by the parent a second time; only a death that it never heard of may be taken back.
local function counted(job)
  if not operator_has_parent(job) then return false end
  return operator_parent_elsewhere(job) or operator_parent_state(p, job) ~= 'awaiting_children' or operator_told(p, job)
end

local answer = operator_each(p, 4 + dues, function(job, now, _, at)
  if job.place == 'held' then return 'flow-parent', 'children', job.children end
  if job.place ~= 'dead' then return 'not-dead', 'place', job.place end
  local word, kind, note = operator_held(job, now, force)
  if word then return word, kind, note end
  local waits_for = operator_waits_for(job)
  if waits_for > 0 then return 'flow-parent', 'children', waits_for end
  if counted(job) then return 'flow-child', 'parent', job.parent end
  local due = tonumber(ARGV[3 + (dues == 1 and 1 or at)])
  redis.call('HSET', job.row, 'state', due and 'scheduled' or 'pending', 'attempts',
    afresh and 0 or operator_token(job, operator_takes(job, force)))
  redis.call('HDEL', job.row, 'last_error')
  if afresh then redis.call('HDEL', job.row, 'stalled') end
  if not due then
    ready[#ready + 1] = job
    return
  end
  redis.call('ZREM', p .. 'dead', job.id)
  redis.call('ZADD', p .. 'schedule', due, job.id)
end)
operator_ready(p, 'dead', ready)
return answer
