-- Settle a job as done: its row goes (echomq.md 4.3, 4.9).
--
-- EchoMQ reads the parent first and passes its keys. Here the row is read inside, and the parent's keys follow from the
-- declared base, in the same slot: one round trip, and no moment in which the row could change between.
--
-- KEYS: 1 active, 2 row
-- ARGV: 1 id, 2 token, 3 queue base, `emq:{q}:`, 4 result for the flow parent (empty: the id)
-- Returns: 1 done, 0 the job is gone
-- Refuses: EMQSTALE another claim holds the job
-- Cost: O(log active + log lane + ring); writes

--@include settle
--@include flow
local p = ARGV[3]
local attempts, group, parent, parent_queue =
  unpack(redis.call('HMGET', KEYS[2], 'attempts', 'group', 'parent', 'parent_queue'))
if not attempts then
  return 0
end
if attempts ~= ARGV[2] then
  return redis.error_reply('EMQSTALE complete token mismatch')
end
local was_active = leave(p, KEYS[1], ARGV[1], group) == 1
if was_active and parent then
  flow_done(p, parent, parent_queue, ARGV[1], ARGV[4] == '' and ARGV[1] or ARGV[4])
end
redis.call('DEL', KEYS[2])
redis.call('HINCRBY', p .. 'metrics:completed', 'count', 1)
return 1
