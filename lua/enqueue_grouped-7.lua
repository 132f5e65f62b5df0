-- Admit a job to a lane; the lane joins the ring if it can be served (echomq.md 4.1).
--
-- KEYS: 1 row, 2 lane*, 3 ring, 4 paused*, 5 glimit*, 6 gactive*, 7 wake*
-- ARGV: 1 id, 2 payload, 3 group
-- Returns: 1 admitted, 0 a row of this id stands
-- Refuses: EMQKIND the id names no job
-- Cost: O(log lane + ring); writes

--@include admit
--@include lane
local refusal = refuse_admission(ARGV[1], KEYS[1])
if refusal then
  return refusal
end
local p = string.sub(KEYS[3], 1, -#'ring' - 1)
redis.call('HSET', KEYS[1], 'state', 'pending', 'attempts', '0', 'payload', ARGV[2], 'group', ARGV[3])
lane_in(p, ARGV[3], ARGV[1])
return 1
