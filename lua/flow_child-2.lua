-- Add one flow child on its own queue, ready to be claimed (echomq.md 4.9).
-- KEYS: 1 row, 2 pending
-- ARGV: 1 id, 2 payload, 3 parent id, 4 parent's queue where it is another or empty, 5 policy (fp or id)
-- Returns: 1
-- Refuses: EMQKIND where the id is not a job's
-- Cost: O(log n); writes

if string.sub(ARGV[1], 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND job id must be JOB-namespaced')
end
redis.call('HSET', KEYS[1], 'state', 'pending', 'attempts', '0', 'payload', ARGV[2],
  'parent', ARGV[3], 'parent_policy', ARGV[5])
if ARGV[4] ~= '' then
  redis.call('HSET', KEYS[1], 'parent_queue', ARGV[4])
end
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return 1
