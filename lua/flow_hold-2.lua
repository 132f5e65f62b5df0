-- Admit a job that waits for its children: the root of a flow over queues, or an inner node of a tree (echomq.md 4.9).
--
-- Sent before its children, so that the count stands before the first of them can complete.
--
-- KEYS: 1 row, 2 row's dependencies
-- ARGV: 1 id, 2 payload, 3 number of direct children, 4 parent id or empty,
--       5 the parent's queue where it is another, or empty, 6 policy towards the parent `fp` | `id`
-- Returns: 1
-- Refuses: EMQKIND the id names no job
-- Cost: O(1); writes

--@include kind
local refusal = refuse_kind(ARGV[1])
if refusal then
  return refusal
end
redis.call('HSET', KEYS[1], 'state', 'awaiting_children', 'attempts', '0', 'payload', ARGV[2])
redis.call('SET', KEYS[2], ARGV[3])
if ARGV[4] ~= '' then
  redis.call('HSET', KEYS[1], 'parent', ARGV[4], 'parent_policy', ARGV[6])
end
if ARGV[5] ~= '' then
  redis.call('HSET', KEYS[1], 'parent_queue', ARGV[5])
end
return 1
