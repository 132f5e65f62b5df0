"""The table of commands: where each lives, what it takes, what it is for."""

from enum import StrEnum
from typing import NamedTuple

_DOCUMENT = "one JSON document on stdout, nothing else"
_DOCUMENTS = "one JSON document a line on stdout, nothing else"


class Group(StrEnum):
    """What a command is for; `emqtop --help` lists them so."""

    LOOK = "look"
    ACT = "act"
    BULLMQ = "act on BullMQ queues only"
    KEEP = "keep and look back"
    TRY = "try it out"


class Command(NamedTuple):
    """One command."""

    place: str
    """Module of this package and function in it, which takes the arguments and returns the exit code."""
    words: str
    """What stands beside the options."""
    says: str
    """What it does."""
    group: Group
    """What it is for."""
    example: str = ""
    """A command line that shows what it is good for, without `emqtop`."""
    json_help: str = _DOCUMENT
    """What `--json` prints; empty: it takes none."""


_LOOK: dict[str, Command] = {
    "": Command("dashboard:dashboard", "[URL]", "the dashboard", Group.LOOK, "redis://user@host:6379/0", ""),
    "ls": Command("ls:ls", "[URL]", "all queues, one row each", Group.LOOK, "ls --watch --every 5s"),
    "lanes": Command("jobs:lanes", "QUEUE", "the lanes of an EchoMQ queue", Group.LOOK, "lanes orders"),
    "jobs": Command(
        "jobs:jobs", "QUEUE LOCATION", "a page of jobs", Group.LOOK, "jobs orders dead --where 'error~timeout age>2h'"
    ),
    "job": Command("jobs:job", "QUEUE ID", "one job: row, lease, logs, family", Group.LOOK, "job emails 17 --raw data"),
    "errors": Command("jobs:errors", "QUEUE", "dead jobs grouped by error", Group.LOOK, "errors orders"),
    "events": Command(
        "events:events", "[QUEUE…]", "live tail of events", Group.LOOK, "events orders --seconds 60 --json", _DOCUMENTS
    ),
    "doctor": Command(
        "doctor:doctor",
        "[QUEUE…]",
        "why is it not moving, and what helps",
        Group.LOOK,
        "doctor orders --between 10s",
    ),
    "check": Command(
        "check:check",
        "[QUEUE…]",
        "for monitoring: one line and an exit code",
        Group.LOOK,
        "check --max-dead 0,100 --max-lease-late 30s",
    ),
    "acl": Command("acl:acl", "view|act", "the least rights for looking or acting", Group.LOOK, "acl view"),
}

_ACT: dict[str, Command] = {
    "reap": Command("acts:reap", "QUEUE [ID…]", "expired leases back to pending", Group.ACT, "reap orders --dry-run"),
    "promote": Command(
        "acts:promote", "QUEUE [ID…]", "scheduled jobs to pending", Group.ACT, "promote orders --all --yes"
    ),
    "dead-letter": Command(
        "acts:dead_letter",
        "QUEUE ID… --reason TEXT",
        "jobs to dead",
        Group.ACT,
        "dead-letter emails 17 18 --reason 'no such address' --yes",
    ),
    "requeue": Command(
        "acts:requeue",
        "QUEUE [ID…]",
        "dead jobs to pending",
        Group.ACT,
        "requeue orders --where error~timeout --rate 50 --yes",
    ),
    "remove": Command("acts:remove", "QUEUE ID…", "delete jobs", Group.ACT, "remove emails 17"),
    "drain": Command("acts:drain", "QUEUE", "delete every job that waits", Group.ACT, "drain orders --dry-run"),
    "obliterate": Command(
        "acts:obliterate",
        "QUEUE",
        "delete a paused EchoMQ queue whole",
        Group.ACT,
        "obliterate orders --dry-run",
    ),
    "extend": Command("acts:extend", "QUEUE ID --by T", "push a lease out", Group.ACT, "extend emails 17 --by 5m"),
    "pause": Command("acts:pause", "QUEUE", "hold a queue or a lane back", Group.ACT, "pause orders"),
    "resume": Command("acts:resume", "QUEUE", "let a queue or a lane run again", Group.ACT, "resume orders"),
    "limit": Command(
        "acts:limit",
        "QUEUE --jobs N|--none",
        "how many jobs may run at once",
        Group.ACT,
        "limit emails --jobs 10",
    ),
}

_BULLMQ: dict[str, Command] = {
    "rate": Command(
        "bullmq_acts:rate",
        "QUEUE --jobs N --per T|--none",
        "jobs that may start in a window of time",
        Group.BULLMQ,
        "rate emails --jobs 100 --per 1m",
    ),
    "wake": Command("bullmq_acts:wake", "QUEUE", "wake an idle worker", Group.BULLMQ, "wake emails"),
    "rerun": Command("bullmq_acts:rerun", "QUEUE ID…", "done jobs to pending", Group.BULLMQ, "rerun emails 17"),
    "delay": Command(
        "bullmq_acts:delay",
        "QUEUE ID… --to T",
        "scheduled jobs to another due time",
        Group.BULLMQ,
        "delay emails 17 --to 2h",
    ),
    "prioritize": Command(
        "bullmq_acts:prioritize",
        "QUEUE ID… --to N",
        "pending jobs to another priority",
        Group.BULLMQ,
        "prioritize emails 17 --to 1",
    ),
    "free": Command(
        "bullmq_acts:free", "QUEUE ID…", "let new jobs in under deduplication ids", Group.BULLMQ, "free emails 17"
    ),
    "unschedule": Command(
        "bullmq_acts:unschedule", "QUEUE SCHEDULER", "end a series", Group.BULLMQ, "unschedule emails digest"
    ),
}

_KEEP: dict[str, Command] = {
    "audit": Command(
        "audit:audit", "", "what was done from here; takes it back", Group.KEEP, "audit --limit 10 --json"
    ),
    "record": Command(
        "record:record", "FILE", "keep the snapshots of an incident", Group.KEEP, "record night.rec --every 5s"
    ),
    "replay": Command(
        "record:replay", "FILE", "look at them later, in the same dashboard", Group.KEEP, "replay night.rec --at 5m"
    ),
}

_TRY: dict[str, Command] = {
    "demo": Command(
        "demo:demo",
        "",
        "a server, a workload, the dashboard on it",
        Group.TRY,
        "demo --bullmq --no-reaper",
        _DOCUMENTS,
    ),
    "work": Command(
        "demo:work",
        "",
        "that workload on the server at --url",
        Group.TRY,
        "work --url redis://127.0.0.1:6379 --seconds 60",
        _DOCUMENTS,
    ),
}

COMMANDS: dict[str, Command] = _LOOK | _ACT | _BULLMQ | _KEEP | _TRY
"""Every command, in the order of the help; the empty name is what runs without one."""
