-- A lane is served no more until it is resumed; its backlog and what runs stay (echomq.md 4.6).
--
-- KEYS: 1 paused, 2 ring
-- ARGV: 1 group
-- Returns: 1
-- Refuses: nothing
-- Cost: O(ring); writes

redis.call('SADD', KEYS[1], ARGV[1])
redis.call('LREM', KEYS[2], 0, ARGV[1])
return 1
