-- Admit a job that becomes ready later (echomq.md 4.1).
--
-- KEYS: 1 row, 2 schedule
-- ARGV: 1 id, 2 payload, 3 mode `at` | `in`, 4 ms: the due time, or the delay from now by the server's clock
-- Returns: 1 admitted, 0 a row of this id stands
-- Refuses: EMQKIND the id names no job
-- Cost: O(log schedule); writes

--@include clock
--@include admit
local refusal = refuse_admission(ARGV[1], KEYS[1])
if refusal then
  return refusal
end
local due = tonumber(ARGV[4])
if ARGV[3] == 'in' then
  due = now_ms() + due
end
redis.call('HSET', KEYS[1], 'state', 'scheduled', 'attempts', '0', 'payload', ARGV[2])
redis.call('ZADD', KEYS[2], due, ARGV[1])
return 1
