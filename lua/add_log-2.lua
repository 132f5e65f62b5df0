-- Add a line to the log of a job (echomq.md 4.7).
--
-- KEYS: 1 row, 2 logs
-- ARGV: 1 line, 2 how many newest lines to keep, empty: all
-- Returns: lines in the log now, or -1 where the job is gone
-- Refuses: nothing
-- Cost: O(lines dropped); writes

if redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
local length = redis.call('RPUSH', KEYS[2], ARGV[1])
local keep = tonumber(ARGV[2]) or 0
if keep > 0 and length > keep then
  redis.call('LTRIM', KEYS[2], -keep, -1)
  return keep
end
return length
