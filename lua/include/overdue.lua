--@include clock
-- The ids whose lease ran out, earliest deadline first, at most limit of them.
local function overdue(active, limit)
  return redis.call('ZRANGEBYSCORE', active, '-inf', now_ms(), 'LIMIT', 0, limit)
end
