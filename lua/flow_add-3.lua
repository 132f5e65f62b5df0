-- Admit a flow whose children all run in the parent's queue, whole or not at all (echomq.md 4.9).
--
-- The children's policies, which EchoMQ writes by a command of their own afterwards, land in the same step.
--
-- KEYS: 1 parent row, 2 parent's dependencies, 3 pending
-- ARGV: 1 queue base, `emq:{q}:`, 2 parent id, 3 parent payload, 4 number of children,
--       then per child: id, payload, policy `fp` | `id`
-- Returns: the number of children
-- Refuses: EMQKIND an id names no job; nothing is written then
-- Cost: O(children × log pending); writes

--@include kind
local parent, children = ARGV[2], tonumber(ARGV[4])
local refusal = refuse_kind(parent)
for i = 1, children do
  refusal = refusal or refuse_kind(ARGV[2 + 3 * i])
end
if refusal then
  return refusal
end
for i = 1, children do
  local id, payload, policy = ARGV[2 + 3 * i], ARGV[3 + 3 * i], ARGV[4 + 3 * i]
  redis.call('HSET', ARGV[1] .. 'job:' .. id, 'state', 'pending', 'attempts', '0', 'payload', payload,
    'parent', parent, 'parent_policy', policy)
  redis.call('ZADD', KEYS[3], 0, id)
end
redis.call('HSET', KEYS[1], 'state', 'awaiting_children', 'attempts', '0', 'payload', ARGV[3])
redis.call('SET', KEYS[2], children)
return children
