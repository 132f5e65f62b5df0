-- Admit a job to the flat set (echomq.md 4.1).
--
-- KEYS: 1 row, 2 pending
-- ARGV: 1 id, 2 payload
-- Returns: 1 admitted, 0 a row of this id stands
-- Refuses: EMQKIND the id names no job
-- Cost: O(log pending); writes

--@include admit
local refusal = refuse_admission(ARGV[1], KEYS[1])
if refusal then
  return refusal
end
redis.call('HSET', KEYS[1], 'state', 'pending', 'attempts', '0', 'payload', ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return 1
