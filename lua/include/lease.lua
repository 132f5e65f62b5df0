-- Claiming. p is the queue's base, `emq:{q}:`.

-- Any value of the flag pauses, `0` too.
local function queue_paused(p)
  return redis.call('HEXISTS', p .. 'meta', 'paused') == 1
end

-- The job is under a lease until the deadline (server ms). Returns its payload, false for a job without, and its token.
local function lease(p, active, id, deadline)
  local row = p .. 'job:' .. id
  local token = redis.call('HINCRBY', row, 'attempts', 1)
  redis.call('HSET', row, 'state', 'active')
  redis.call('ZADD', active, deadline, id)
  return redis.call('HGET', row, 'payload'), token
end
