--@include kind
-- Why a job may not be admitted: an error where its id names no job, 0 where a row of this id stands; nil where it may.
local function refuse_admission(id, row)
  local refusal = refuse_kind(id)
  if refusal then
    return refusal
  end
  if redis.call('EXISTS', row) == 1 then
    return 0
  end
end
