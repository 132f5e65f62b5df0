-- A worker gives its job back, due later (echomq.md 4.3).
--
-- The count of the job's lane stays as it is, as EchoMQ leaves it (echomq.md 10.3, 22).
--
-- KEYS: 1 row, 2 active, 3 schedule
-- ARGV: 1 id, 2 token, 3 mode `at` | `in`, 4 ms: the due time, or the delay from now by the server's clock
-- Returns: 1
-- Refuses: EMQKIND the id names no job; EMQSTALE another claim holds the job, or it is gone
-- Cost: O(log active + log schedule); writes

--@include clock
--@include kind
local refusal = refuse_kind(ARGV[1])
if refusal then
  return refusal
end
local attempts = redis.call('HGET', KEYS[1], 'attempts')
if not attempts then
  return redis.error_reply('EMQSTALE job gone')
end
if attempts ~= ARGV[2] then
  return redis.error_reply('EMQSTALE delay token mismatch')
end
local due = tonumber(ARGV[4])
if ARGV[3] == 'in' then
  due = now_ms() + due
end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[1], 'state', 'scheduled')
redis.call('ZADD', KEYS[3], due, ARGV[1])
return 1
