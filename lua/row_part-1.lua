-- Part of one field of a row, so that a value of megabytes need not travel to be looked at.
--
-- KEYS: 1 row
-- ARGV: 1 field, 2 first byte, counted from 0, 3 how many bytes
-- Returns: the bytes, empty past the end; nil without the field
-- Refuses: nothing
-- Cost: O(size of the field); reads

local value = redis.call('HGET', KEYS[1], ARGV[1])
return value and string.sub(value, ARGV[2] + 1, ARGV[2] + ARGV[3])
