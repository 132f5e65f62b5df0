-- May whoever asks run these commands on the keys of a queue? Redis 6 cannot be asked, and says yes.
--
-- The library's scripts are not rolled back, so a right that is missing has to show before the first of them runs.
--
-- KEYS: 1 queue base, `prefix:name:`
-- ARGV: commands by name
-- Returns: OK
-- Refuses: NOPERM, of the first that may not be run
-- Cost: O(commands); reads

local key = KEYS[1] .. 'meta'
for _, command in ipairs(ARGV) do
  if redis.acl_check_cmd and not redis.acl_check_cmd(command, key, key) then
    return redis.error_reply('NOPERM this user has no permission to run ' .. command .. ' on the queue')
  end
end
return redis.status_reply('OK')
