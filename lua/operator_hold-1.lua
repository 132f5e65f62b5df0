-- Pause or resume a queue or one of its lanes, and say whether that changed anything (echomq.md 4.5, 4.6).
--
-- EchoMQ's resume of a queue wakes nobody; here those who sleep are woken if there is work.
--
-- KEYS: 1 queue base, `emq:{q}:`
-- ARGV: 1 `pause` or `resume`, 2 group of the lane, or empty for the queue
-- Returns: 1 changed, 0 it was so already
-- Refuses: EMQSTATE, and nothing changes: a number of the lane cannot be counted with
-- Cost: O(ring); writes

--@include lane
--@include operator_lane
--@include operator_ready
local p, pause, group = KEYS[1], ARGV[1] == 'pause', ARGV[2]

local function hold_lane()
  if pause then
    ring_out(p, group)
    return redis.call('SADD', p .. 'paused', group)
  end
  local changed = redis.call('SREM', p .. 'paused', group)
  lane_offer(p, group)
  return changed
end

local function hold_queue()
  if pause then return redis.call('HSETNX', p .. 'meta', 'paused', '1') end
  local changed = redis.call('HDEL', p .. 'meta', 'paused')
  local ready = redis.call('ZCARD', p .. 'pending') + redis.call('LLEN', p .. 'ring')
  if changed == 1 and ready > 0 then operator_wake(p, ready) end
  return changed
end

local odd = operator_lane_odd(p, group ~= '' and group)
if odd then return redis.error_reply('EMQSTATE ' .. odd .. ' of the lane is no number') end
if group ~= '' then return hold_lane() end
return hold_queue()
