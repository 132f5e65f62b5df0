-- Forget a paused queue, some jobs per call, as EchoMQ's own obliterate does (echomq.md 4.5), every lane included.
--
-- What others still need stays: dedup keys, the outbox of flows, streams. So do held parents, which no set names.
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 `1` to go on although jobs are active, 2 how many jobs at most, 3 how many the operator saw, or empty where
--       that is not compared; then groups that the caller knows of
-- Returns: jobs that went, then 0 done or 1 call again
-- Refuses: EMQSTATE, and nothing changes: not paused; active jobs present, and this is not forced; more jobs than were
--          seen; among the next jobs is the child of a flow whose parent stays and would wait for ever
-- Cost: O(budget × log of the sets + lanes), 3 calls a job; writes

local p, budget, seen = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if redis.call('HEXISTS', p .. 'meta', 'paused') == 0 then
  return redis.error_reply('EMQSTATE not paused')
end
if ARGV[1] ~= '1' and redis.call('EXISTS', p .. 'active') == 1 then
  return redis.error_reply('EMQSTATE active jobs present')
end

-- Every set that may hold jobs, each once.
local function parts()
  local found, known = { 'active', 'pending', 'schedule', 'dead' }, {}
  for _, list in ipairs({ redis.call('LRANGE', p .. 'ring', 0, -1), redis.call('SMEMBERS', p .. 'paused'),
    redis.call('HKEYS', p .. 'gactive'), redis.call('HKEYS', p .. 'glimit'), redis.call('HKEYS', p .. 'gweight'),
    { unpack(ARGV, 4) } }) do
    for _, group in ipairs(list) do
      if not known[group] then found[#found + 1] = 'g:' .. group .. ':pending' end
      known[group] = true
    end
  end
  return found
end

-- Does a parent that stays wait for this job?
local function awaited(part, id)
  local parent, elsewhere = unpack(redis.call('HMGET', p .. 'job:' .. id, 'parent', 'parent_queue'))
  if not parent or parent == '' then return false end
  if elsewhere and elsewhere ~= '' then return part ~= 'dead' end
  local row = p .. 'job:' .. parent
  return redis.call('HGET', row, 'state') == 'awaiting_children'
    and redis.call('HEXISTS', row .. ':failed', id) + redis.call('HEXISTS', row .. ':unsuccessful', id) == 0
end

local sets, there = parts(), 0
for _, part in ipairs(seen and sets or {}) do
  there = there + redis.call('ZCARD', p .. part)
end
if there > (seen or 0) then return redis.error_reply('EMQSTATE more jobs: ' .. there) end

local batch, taken = {}, 0
for _, part in ipairs(sets) do
  if taken == budget then break end
  local ids = redis.call('ZRANGE', p .. part, 0, budget - taken - 1)
  for _, id in ipairs(ids) do
    if awaited(part, id) then return redis.error_reply('EMQSTATE flow child: ' .. id) end
  end
  batch[part], taken = ids, taken + #ids
end
for part, ids in pairs(batch) do
  for _, id in ipairs(ids) do
    local row = p .. 'job:' .. id
    redis.call('UNLINK', row, row .. ':logs', row .. ':lock', row .. ':dependencies', row .. ':processed',
      row .. ':failed', row .. ':unsuccessful')
  end
  if #ids > 0 then redis.call('ZREM', p .. part, unpack(ids)) end
end
if taken == budget then return { taken, 1 } end
for _, name in ipairs(redis.call('ZRANGE', p .. 'repeat', 0, -1)) do
  redis.call('DEL', p .. 'repeat:' .. name)
end
redis.call('DEL', p .. 'metrics:completed', p .. 'metrics:completed:data', p .. 'metrics:failed',
  p .. 'metrics:failed:data', p .. 'gactive', p .. 'glimit', p .. 'gweight', p .. 'ring', p .. 'wake', p .. 'paused',
  p .. 'repeat', p .. 'limiter', p .. 'meta')
return { taken, 0 }
