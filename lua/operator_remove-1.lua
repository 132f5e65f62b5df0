-- Delete chosen jobs wherever they lie, with everything that is kept beside their rows (echomq.md 10.2, rules 11 to 18).
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 `1` to force a live lease or a lock mark, 2 number of dedup ids, then that many, whose keys are released where
--       they name a job that goes; then per job, at most 100: id, location, token, deadline in ms
-- Returns: four values for each job left alone: its position from 0, reason, kind of note, note
-- Refuses: nothing as a whole; each job by its verdict
-- Cost: O(jobs × log location + ring + dedup ids), 5 calls a job, 3 more for a flow child; writes

--@include operator_guard
--@include operator_family
local p, force, names = KEYS[1], ARGV[1] == '1', tonumber(ARGV[2])
local removed = {}

-- Does a parent wait for this job's end? It would wait for ever.
local function awaited(job)
  if not operator_has_parent(job) then return false end
  if operator_parent_elsewhere(job) then return job.place ~= 'dead' end
  return operator_parent_state(p, job) and not operator_told(p, job)
end

local function leave_place(job)
  if job.in_lane then
    lane_out(p, job.group, job.id)
  elseif job.place ~= 'held' then
    redis.call('ZREM', p .. job.place, job.id)
    if job.place == 'active' and job.group then lane_left(p, job.group) end
  end
end

operator_permitted(p, 'UNLINK', 'job:')
operator_permitted(p, 'GET', 'de:')
local answer = operator_each(p, 3 + names, function(job, now)
  local word, kind, note = operator_held(job, now, force)
  if word then return word, kind, note end
  local waits_for = operator_waits_for(job)
  if waits_for > 0 then return 'flow-parent', 'children', waits_for end
  if awaited(job) then return 'flow-child', 'parent', job.parent end
  leave_place(job)
  redis.call('UNLINK', job.row, job.row .. ':logs', job.row .. ':lock', job.row .. ':dependencies',
    job.row .. ':processed', job.row .. ':failed', job.row .. ':unsuccessful')
  removed[job.id] = true
end)
for at = 3, 2 + names do
  local key = p .. 'de:' .. ARGV[at]
  if removed[redis.call('GET', key)] then redis.call('UNLINK', key) end
end
return answer
