"""What the servers of the bench hold, written by scripts of bounded size."""

from typing import Any

from emqtop.model.queue import Family, QueueId
from emqtop.wire.resp import pack
from tests.bench.floors import RawSocket

_QUEUES = """
local letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
local function id(n)
  local out = ''
  for _ = 1, 5 do
    local d = n % 62
    out = string.sub(letters, d + 1, d + 1) .. out
    n = (n - d) / 62
  end
  return 'JOB0Nq3f0' .. out
end
local rows, payload, later = tonumber(ARGV[3]), ARGV[4], ARGV[5]
local places = {{'pending', 0.6, '0'}, {'active', 0.7, later}, {'schedule', 0.9, later}, {'dead', 1, '0'}}
for q = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  local base = string.format('emq:{q%05d}:', q)
  local from = 0
  for _, place in ipairs(places) do
    local upto, members = math.floor(rows * place[2] + 0.5), {}
    for r = from, upto - 1 do
      local job = id(q * rows + r)
      redis.call('HSET', base .. 'job:' .. job, 'state', place[1], 'attempts', '1', 'payload', payload)
      members[#members + 1] = place[3]
      members[#members + 1] = job
    end
    if #members > 0 then redis.call('ZADD', base .. place[1], unpack(members)) end
    from = upto
  end
  redis.call('HSET', base .. 'metrics:completed', 'count', q)
end
"""

_MEMBERS = """
local members = {}
for n = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  members[#members + 1] = '0'
  members[#members + 1] = string.format('JOB0Nq3f%06d', n)
end
redis.call('ZADD', KEYS[1], unpack(members))
"""

_LATER_MS = 4_000_000_000_000
_STEP = 2_000


def fill(path: str, queues: int, rows: int, payload: bytes = b"{}") -> None:
    """EchoMQ queues q00000, q00001, … with so many rows each: 6 in 10 pending, 1 active, 2 scheduled, 1 dead.

    Nothing in them becomes due, so nothing changes unless somebody writes.
    """
    link = RawSocket(path)
    sha = link.ask("SCRIPT", "LOAD", _QUEUES)
    step = max(1, 5_000 // max(rows, 1))
    for first in range(0, queues, step):
        last = min(first + step, queues) - 1
        _done(link.ask("EVALSHA", sha, 0, first, last, rows, payload, _LATER_MS))
    link.close()


def names(queues: int) -> list[QueueId]:
    """The queues that `fill` makes."""
    return [QueueId(Family.ECHOMQ, "emq", f"q{number:05d}") for number in range(queues)]


def fill_dead(path: str, name: str, jobs: int, *, every_row: bool, payload: bytes = b"{}") -> None:
    """One EchoMQ queue with so many dead jobs.

    Args:
        path: unix socket.
        name: of the queue.
        jobs: how many.
        every_row: give each its row; else only the hundred in the middle have one.
        payload: of each row.
    """
    link = RawSocket(path)
    base = f"emq:{{{name}}}:"
    sha = link.ask("SCRIPT", "LOAD", _MEMBERS)
    for first in range(0, jobs, _STEP):
        _done(link.ask("EVALSHA", sha, 1, f"{base}dead", first, min(first + _STEP, jobs) - 1))
    wanted = range(jobs) if every_row else range(jobs // 2, jobs // 2 + 100)
    for at in range(0, len(wanted), _STEP):
        part = wanted[at : at + _STEP]
        fields = ("state", "dead", "attempts", "3", "last_error", "timeout", "payload", payload)
        link.exchange(b"".join(pack("HSET", f"{base}job:{dead_id(n)}", *fields) for n in part), len(part))
    link.close()


def dead_id(number: int) -> str:
    """Id of the n-th job that `fill_dead` makes."""
    return f"JOB0Nq3f{number:06d}"


def fill_bullmq(path: str, queues: int) -> None:
    """BullMQ queues q00000, … with three waiting jobs each, as its version 6 lays them out."""
    link = RawSocket(path)
    for number in range(queues):
        base = f"bull:q{number:05d}:"
        meta = ("opts.maxLenEvents", "10000", "version", "bullmq:6.7.0")
        writes = [pack("HSET", f"{base}meta", *meta), pack("SET", f"{base}id", 3)]
        writes += [pack("LPUSH", f"{base}wait", 1, 2, 3), pack("ZADD", f"{base}marker", 0, "0")]
        for job in (1, 2, 3):
            fields = ("name", "work", "data", "{}", "opts", "{}", "timestamp", 1_790_000_000_000, "priority", 0)
            writes.append(pack("HSET", f"{base}{job}", *fields))
        link.exchange(b"".join(writes), len(writes))
    link.close()


def _done(reply: Any) -> None:
    if isinstance(reply, Exception):
        raise reply
