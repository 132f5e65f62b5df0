-- Where a job is, as EchoMQ looks it up: a job that waits in its lane is `unknown` to it (echomq.md 4.5, 10.1).
--
-- KEYS: 1 pending, 2 active, 3 schedule, 4 dead, 5 row
-- ARGV: 1 id
-- Returns: `pending`, `active`, `scheduled`, `dead`, `awaiting_children`, `unknown` or `absent`
-- Refuses: nothing
-- Cost: O(1); reads

for at, word in ipairs({ 'pending', 'active', 'scheduled', 'dead' }) do
  if redis.call('ZSCORE', KEYS[at], ARGV[1]) then
    return word
  end
end
local state = redis.call('HGET', KEYS[5], 'state')
if not state then
  return 'absent'
end
return state == 'awaiting_children' and state or 'unknown'
