-- What stops a script half-way among the numbers of lanes and flows, which foreign hands may have written.

-- As HINCRBY and DECR read one, with room to count on.
local function operator_countable(text)
  return not text or text == '0' or (#text <= 16 and string.match(text, '^-?[1-9]%d*$') ~= nil)
end

-- Which number of the lane cannot be counted with; nil: none, or there is no lane.
local function operator_lane_odd(p, group)
  if not group then return end
  if not operator_countable(redis.call('HGET', p .. 'gactive', group)) then return 'gactive' end
  local limit = redis.call('HGET', p .. 'glimit', group)
  if limit and not tonumber(limit) then return 'glimit' end
end
