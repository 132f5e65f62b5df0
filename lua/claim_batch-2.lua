-- Take the oldest flat jobs under leases with one deadline (echomq.md 4.2).
--
-- The pause is looked at here, as in claim.
--
-- KEYS: 1 pending, 2 active
-- ARGV: 1 prefix of the rows, `emq:{q}:job:`, 2 lease in ms, 3 how many at most
-- Returns: rows of id, payload (nil: the row has none), token, oldest first; empty: nothing ready, or paused
-- Refuses: nothing
-- Cost: O(taken × (log pending + log active)); writes

--@include clock
--@include lease
local p = string.sub(ARGV[1], 1, -#'job:' - 1)
if queue_paused(p) then
  return {}
end
local deadline = now_ms() + tonumber(ARGV[2])
local jobs = {}
for _ = 1, math.min(tonumber(ARGV[3]), redis.call('ZCARD', KEYS[1])) do
  local id = redis.call('ZPOPMIN', KEYS[1])[1]
  local payload, token = lease(p, KEYS[2], id, deadline)
  jobs[#jobs + 1] = { id, payload, token }
end
return jobs
