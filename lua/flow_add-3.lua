-- Add a flow whose children all run in the parent's queue, whole or not at all (echomq.md 4.9).
-- KEYS: 1 parent row, 2 parent's dependencies, 3 pending
-- ARGV: 1 queue base, 2 parent id, 3 parent payload, 4 number of children, then per child: id, payload, policy (fp or id)
-- Returns: the number of children
-- Refuses: EMQKIND where any id is not a job's; nothing is written then
-- Cost: O(children); writes

local children = tonumber(ARGV[4])
local ids = { ARGV[2] }
for i = 1, children do ids[i + 1] = ARGV[2 + 3 * i] end
for _, id in ipairs(ids) do
  if string.sub(id, 1, 3) ~= 'JOB' then
    return redis.error_reply('EMQKIND job id must be JOB-namespaced')
  end
end
for i = 1, children do
  local id, payload, policy = ARGV[2 + 3 * i], ARGV[3 + 3 * i], ARGV[4 + 3 * i]
  redis.call('HSET', ARGV[1] .. 'job:' .. id, 'state', 'pending', 'attempts', '0', 'payload', payload,
    'parent', ARGV[2], 'parent_policy', policy)
  redis.call('ZADD', KEYS[3], 0, id)
end
redis.call('HSET', KEYS[1], 'state', 'awaiting_children', 'attempts', '0', 'payload', ARGV[3])
redis.call('SET', KEYS[2], children)
return children
