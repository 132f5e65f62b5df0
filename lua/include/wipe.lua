-- The rows and logs of every job in a set go, then the set. p is the queue's base, `emq:{q}:`. Returns how many.
local function wipe(p, set)
  local ids = redis.call('ZRANGE', set, 0, -1)
  for _, id in ipairs(ids) do
    local row = p .. 'job:' .. id
    redis.call('DEL', row, row .. ':logs')
  end
  redis.call('DEL', set)
  return #ids
end
