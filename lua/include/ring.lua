-- The ring: the lanes that can be served, left end next. p is the queue's base, `emq:{q}:`.
-- Scripts that declare a key as EchoMQ does, but reach it only through a fragment, mark it `*` in their header.

-- The lane joins at the right end and one waiting worker is woken, unless it is paused, at its limit or in already.
local function ring_in(p, group)
  if redis.call('SISMEMBER', p .. 'paused', group) == 1 then
    return
  end
  local limit = redis.call('HGET', p .. 'glimit', group)
  if limit and tonumber(redis.call('HGET', p .. 'gactive', group) or 0) >= tonumber(limit) then
    return
  end
  if redis.call('LPOS', p .. 'ring', group) then
    return
  end
  redis.call('RPUSH', p .. 'ring', group)
  redis.call('LPUSH', p .. 'wake', '1')
  redis.call('LTRIM', p .. 'wake', 0, 63)
end

local function ring_out(p, group)
  redis.call('LREM', p .. 'ring', 0, group)
end
