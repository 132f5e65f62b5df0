-- Give a held job a new deadline (echomq.md 4.4).
--
-- A holder that lost the job to a sweep gets it back into active, as in EchoMQ, while nobody has claimed it since.
--
-- KEYS: 1 active, 2 row
-- ARGV: 1 id, 2 token, 3 lease in ms from now
-- Returns: 1, or -1 where the job is gone
-- Refuses: EMQSTALE another claim holds the job
-- Cost: O(log active); writes

--@include clock
local attempts = redis.call('HGET', KEYS[2], 'attempts')
if not attempts then
  return -1
end
if attempts ~= ARGV[2] then
  return redis.error_reply('EMQSTALE extend token mismatch')
end
redis.call('ZADD', KEYS[1], now_ms() + tonumber(ARGV[3]), ARGV[1])
return 1
