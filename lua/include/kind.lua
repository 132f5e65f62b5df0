-- Refuses an id that does not name a job; nil if it does.
local function refuse_kind(id)
  if string.sub(id, 1, 3) ~= 'JOB' then
    return redis.error_reply('EMQKIND job id must be JOB-namespaced')
  end
end
