-- Push the lease of chosen active jobs out; one that has run out starts from now (echomq.md 4.4).
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 by how much, ms; then per job, at most 100: id, location, token, deadline in ms
-- Returns: four values for each job left alone: its position from 0, reason, kind of note, note
-- Refuses: nothing as a whole; each job by its verdict
-- Cost: O(jobs × log active), 4 calls a job; writes

--@include operator_guard
local p, by = KEYS[1], tonumber(ARGV[1])
return operator_each(p, 2, function(job, now)
  if job.place ~= 'active' then return 'moved', 'place', job.place end
  local deadline = math.max(now, job.score) + by
  redis.call('ZADD', p .. 'active', string.format('%.0f', deadline), job.id)
end)
