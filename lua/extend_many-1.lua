-- Give held jobs one new deadline (echomq.md 4.4).
--
-- KEYS: 1 active
-- ARGV: 1 queue base, `emq:{q}:`, 2 lease in ms from now, then per job: id, token
-- Returns: the ids that are gone or that another claim holds
-- Refuses: nothing
-- Cost: O(jobs × log active); writes

--@include clock
local deadline = now_ms() + tonumber(ARGV[2])
local lost = {}
for at = 3, #ARGV, 2 do
  if redis.call('HGET', ARGV[1] .. 'job:' .. ARGV[at], 'attempts') == ARGV[at + 1] then
    redis.call('ZADD', KEYS[1], deadline, ARGV[at])
  else
    lost[#lost + 1] = ARGV[at]
  end
end
return lost
