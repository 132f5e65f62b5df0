-- Bring chosen scheduled jobs to pending, each into its own lane, also before their time (echomq.md 4.4, 10.2).
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 `1` to force a lock mark, 2 `1` to take those that are not due yet; then per job, at most 100: id, location,
--       token, deadline
-- Returns: four values for each job left alone: its position from 0, reason, kind of note, note
-- Refuses: nothing as a whole; each job by its verdict
-- Cost: O(jobs × log schedule + ring), 5 calls a job; writes

--@include operator_guard
--@include operator_ready
local p, force, early = KEYS[1], ARGV[1] == '1', ARGV[2] == '1'
local due = {}
local answer = operator_each(p, 3, function(job, now)
  if job.place == 'held' then return 'flow-parent', 'children', job.children end
  if job.place ~= 'schedule' then return 'moved', 'place', job.place end
  local word, kind, note = operator_held(job, now, force)
  if word then return word, kind, note end
  if not early and job.score > now then return 'moved', 'due', job.score - now end
  redis.call('HSET', job.row, 'state', 'pending', 'attempts', operator_token(job, operator_takes(job, force)))
  due[#due + 1] = job
end)
operator_ready(p, 'schedule', due)
return answer
