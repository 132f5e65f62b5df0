-- Bring chosen jobs whose lease has run out back to pending, each into its own lane (echomq.md 4.4, 10.2).
--
-- The token stays, as with EchoMQ's own reaper; a forced reap raises it, so that the holder is fenced off.
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 `1` to force a live lease or a lock mark; then per job, at most 100: id, location, token, deadline in ms
-- Returns: four values for each job left alone: its position from 0, reason, kind of note, note
-- Refuses: nothing as a whole; each job by its verdict
-- Cost: O(jobs × log active + ring), 5 calls a job; writes

--@include operator_guard
--@include operator_ready
local p, force = KEYS[1], ARGV[1] == '1'
local freed = {}
local answer = operator_each(p, 2, function(job, now)
  if job.place ~= 'active' then return 'moved', 'place', job.place end
  local word, kind, note = operator_held(job, now, force)
  if word then return word, kind, note end
  redis.call('HSET', job.row, 'state', 'pending', 'attempts', operator_token(job, operator_takes(job, force)))
  freed[#freed + 1] = job
end)
operator_ready(p, 'active', freed)
return answer
