-- Forget a flat job wherever it lies (echomq.md 4.7).
--
-- Lanes, their counts and flow subkeys stay as they are, as EchoMQ leaves them (echomq.md 10.3, 24).
--
-- KEYS: 1 row, 2 pending, 3 active, 4 schedule, 5 dead, 6 dedup key
-- ARGV: 1 id, 2 dedup id or empty
-- Returns: 1, or -1 where the job is gone
-- Refuses: EMQLOCK a worker holds its lock
-- Cost: O(log of the sets); writes

if redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
if redis.call('EXISTS', KEYS[1] .. ':lock') == 1 or redis.call('HEXISTS', KEYS[1], 'lock') == 1 then
  return redis.error_reply('EMQLOCK job is locked')
end
for at = 2, 5 do
  redis.call('ZREM', KEYS[at], ARGV[1])
end
if ARGV[2] ~= '' and redis.call('GET', KEYS[6]) == ARGV[1] then
  redis.call('DEL', KEYS[6])
end
redis.call('DEL', KEYS[1], KEYS[1] .. ':logs')
return 1
