-- What a flow's parent learns when a child ends. p is the child's queue base, which is the parent's too in one queue.

local function flow_key(p, parent, part)
  return p .. 'job:' .. parent .. part
end

-- One child less to wait for; the last one puts the parent into pending.
local function flow_count_down(p, parent)
  if redis.call('DECR', flow_key(p, parent, ':dependencies')) <= 0 then
    redis.call('ZADD', p .. 'pending', 0, parent)
    redis.call('HSET', flow_key(p, parent, ''), 'state', 'pending')
  end
end

local function flow_emit_death(p, parent_queue, parent, child, policy, error)
  redis.call('RPUSH', p .. 'flow:outbox',
    table.concat({ '', 'fail', parent_queue, parent, child, policy, error }, '\0'))
end

-- A parent that dies and is a child itself is news for its own parent, always by way of the outbox.
local function flow_kill(p, parent, error)
  local row = flow_key(p, parent, '')
  local was = redis.call('HMGET', row, 'state', 'parent', 'parent_queue', 'parent_policy')
  redis.call('HSET', row, 'state', 'dead')
  redis.call('ZADD', p .. 'dead', 0, parent)
  redis.call('ZREM', p .. 'pending', parent)
  if was[1] == 'dead' or not was[2] or was[2] == '' then return end
  local queue = was[3]
  if not queue or queue == '' then queue = string.match(p, '{(.*)}:$') end
  flow_emit_death(p, queue, was[2], parent, was[4] == 'id' and 'id' or 'fp', error)
end

-- A child of the parent completed; the caller took it out of active itself, so this is its only fan-in.
local function flow_done(p, parent, parent_queue, child, result)
  if parent_queue and parent_queue ~= '' then
    redis.call('RPUSH', p .. 'flow:outbox', table.concat({ parent_queue, parent, child, result }, '\0'))
    return
  end
  redis.call('HSET', flow_key(p, parent, ':processed'), child, result)
  flow_count_down(p, parent)
end

-- A child of the parent died for good. Any policy other than id fails the parent.
local function flow_died(p, parent, parent_queue, policy, child, error)
  if policy ~= 'id' then policy = 'fp' end
  if parent_queue and parent_queue ~= '' then
    flow_emit_death(p, parent_queue, parent, child, policy, error)
    return
  end
  if policy == 'id' then
    redis.call('HSET', flow_key(p, parent, ':unsuccessful'), child, error)
    flow_count_down(p, parent)
    return
  end
  redis.call('HSET', flow_key(p, parent, ':failed'), child, error)
  flow_kill(p, parent, error)
end
