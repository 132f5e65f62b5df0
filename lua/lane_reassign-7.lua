-- Move a waiting job to another lane (echomq.md 4.6).
--
-- KEYS: 1 row, 2 lane it goes to*, 3 ring*, 4 paused*, 5 glimit*, 6 gactive*, 7 wake*
-- ARGV: 1 id, 2 group it goes to, 3 queue base, `emq:{q}:`
-- Returns: 1 moved, 0 it is there already, -1 no such job or no lane, -2 it does not wait in its lane
-- Refuses: nothing
-- Cost: O(log lane + ring); writes

--@include lane
local id, target, p = ARGV[1], ARGV[2], ARGV[3]
local source = redis.call('HGET', KEYS[1], 'group')
if not source then
  return -1
end
if source == target then
  return 0
end
if not redis.call('ZSCORE', lane_of(p, source), id) then
  return -2
end
lane_out(p, source, id)
redis.call('HSET', KEYS[1], 'group', target)
lane_in(p, target, id)
return 1
