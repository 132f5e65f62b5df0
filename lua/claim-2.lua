-- Take the oldest flat job under a lease (echomq.md 4.2).
--
-- The pause is looked at here, not before by the host as EchoMQ does, so that no claim slips through after a pause.
--
-- KEYS: 1 pending, 2 active
-- ARGV: 1 prefix of the rows, `emq:{q}:job:`, 2 lease in ms
-- Returns: id, payload (nil: the row has none), token; or empty: nothing ready, or the queue is paused
-- Refuses: nothing
-- Cost: O(log pending + log active); writes

--@include clock
--@include lease
local p = string.sub(ARGV[1], 1, -#'job:' - 1)
if queue_paused(p) then
  return {}
end
local id = redis.call('ZPOPMIN', KEYS[1])[1]
if not id then
  return {}
end
local payload, token = lease(p, KEYS[2], id, now_ms() + tonumber(ARGV[2]))
return { id, payload, token }
