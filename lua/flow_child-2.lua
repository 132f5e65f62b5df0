-- Admit one flow child, ready to be claimed, on its own queue (echomq.md 4.9).
--
-- KEYS: 1 row, 2 pending
-- ARGV: 1 id, 2 payload, 3 parent id, 4 the parent's queue where it is another, or empty, 5 policy `fp` | `id`
-- Returns: 1
-- Refuses: EMQKIND the id names no job
-- Cost: O(log pending); writes

--@include kind
local refusal = refuse_kind(ARGV[1])
if refusal then
  return refusal
end
redis.call('HSET', KEYS[1], 'state', 'pending', 'attempts', '0', 'payload', ARGV[2],
  'parent', ARGV[3], 'parent_policy', ARGV[5])
if ARGV[4] ~= '' then
  redis.call('HSET', KEYS[1], 'parent_queue', ARGV[4])
end
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return 1
