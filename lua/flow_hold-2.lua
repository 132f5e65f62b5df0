-- Hold a job until its children have ended: the root of a flow over several queues, or an inner node of a tree
-- (echomq.md 4.9). Sent before its children, so that its count stands before the first of them can complete.
-- KEYS: 1 row, 2 row's dependencies
-- ARGV: 1 id, 2 payload, 3 number of direct children, 4 parent id or empty, 5 parent's queue where it is another or empty,
--       6 policy towards the parent (fp or id)
-- Returns: 1
-- Refuses: EMQKIND where the id is not a job's
-- Cost: O(1); writes

if string.sub(ARGV[1], 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND job id must be JOB-namespaced')
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
