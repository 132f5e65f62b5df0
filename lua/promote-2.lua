-- Make scheduled jobs ready whose time has come, earliest first (echomq.md 4.4).
--
-- KEYS: 1 schedule, 2 pending
-- ARGV: 1 queue base, `emq:{q}:`, 2 how many at most
-- Returns: how many became ready
-- Refuses: nothing
-- Cost: O(log schedule + moved × (log pending + ring)); writes

--@include clock
--@include ready
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_ms(), 'LIMIT', 0, ARGV[2])
for _, id in ipairs(due) do
  redis.call('ZREM', KEYS[1], id)
  make_ready(ARGV[1], KEYS[2], id, redis.call('HGET', ARGV[1] .. 'job:' .. id, 'group'))
end
return #due
