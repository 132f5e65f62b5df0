"""The acts of the command line: what each takes, and what it means by it."""

import argparse

from emqtop.acting.plan import Selection
from emqtop.cli.act_command import Wish, carry
from emqtop.cli.console import UsageError
from emqtop.cli.jobs import condition
from emqtop.cli.options import Parser, number, parse, parser, words
from emqtop.model import typed
from emqtop.model.actions import Order, Verb
from emqtop.model.acts import ACTS
from emqtop.model.filters import EVERY, Filter


def reap(argv: list[str]) -> int:
    """Expired leases back to pending; the ids named, else all that have expired."""
    read = parse(act_parser(Verb.REAP, bulk=True), argv)
    name, ids = queue_and_ids(read)
    if read.force and not ids:
        raise UsageError("--force wants IDs: without them only leases that ran out are reaped")
    return carry(Wish(Verb.REAP, name, _selection(read, ids), read, lambda at: Order(Verb.REAP, at, force=read.force)))


def promote(argv: list[str]) -> int:
    """Scheduled jobs to pending: those that are due; the ids named, or all, before their time too."""
    made = act_parser(Verb.PROMOTE, bulk=True)
    made.add_argument("--all", action="store_true", help="every scheduled job, before its time too")
    read = parse(made, argv)
    name, ids = queue_and_ids(read)
    early = read.all or bool(ids)
    wanted = Wish(
        Verb.PROMOTE,
        name,
        _selection(read, ids),
        read,
        lambda at: Order(Verb.PROMOTE, at, force=read.force, early=early),
    )
    return carry(wanted)


def dead_letter(argv: list[str]) -> int:
    """Named jobs to dead, with a reason."""
    made = act_parser(Verb.DEAD_LETTER)
    made.add_argument("--reason", required=True, metavar="TEXT", help="becomes the job's last error")
    read = parse(made, argv)
    name, ids = queue_and_ids(read, needed=True)
    if not read.reason.strip():
        raise UsageError("--reason is empty")
    wanted = Wish(
        Verb.DEAD_LETTER,
        name,
        _selection(read, ids),
        read,
        lambda at: Order(Verb.DEAD_LETTER, at, force=read.force, error=read.reason),
    )
    return carry(wanted)


def requeue(argv: list[str]) -> int:
    """Dead jobs to pending: the ids named, all, or those that a condition fits."""
    made = act_parser(Verb.REQUEUE, bulk=True)
    made.add_argument("--all", action="store_true", help="every dead job")
    made.add_argument("--where", type=condition, metavar="EXPR", help="only those it fits: error~timeout age>2h")
    made.add_argument("--limit", type=number(1, 10**9), metavar="N", help="jobs at most")
    made.add_argument("--reset-attempts", action="store_true", help="a fresh budget of attempts")
    read = parse(made, argv)
    name, ids = queue_and_ids(read)
    if ids and (read.all or read.where or read.limit):
        raise UsageError("IDs and --all, --where or --limit do not go together")
    if not ids and not read.all and read.where is None:
        raise UsageError("ID, --all or --where missing")
    wanted = Wish(
        Verb.REQUEUE,
        name,
        _selection(read, ids),
        read,
        lambda at: Order(Verb.REQUEUE, at, force=read.force, afresh=read.reset_attempts),
    )
    return carry(wanted)


def remove(argv: list[str]) -> int:
    """Delete the jobs named."""
    read = parse(act_parser(Verb.REMOVE), argv)
    name, ids = queue_and_ids(read, needed=True)
    chosen = _selection(read, ids)
    return carry(Wish(Verb.REMOVE, name, chosen, read, lambda at: Order(Verb.REMOVE, at, force=read.force)))


def drain(argv: list[str]) -> int:
    """Delete every job that waits, in the queue or in one lane."""
    made = act_parser(Verb.DRAIN, bulk=True)
    made.add_argument("--lane", metavar="G", help="only this lane")
    read = parse(made, argv)
    (name,) = words(read, "QUEUE")
    chosen = Selection(lane=read.lane)
    return carry(Wish(Verb.DRAIN, name, chosen, read, lambda at: Order(Verb.DRAIN, at, lane=read.lane)))


def obliterate(argv: list[str]) -> int:
    """Delete a paused queue whole."""
    read = parse(act_parser(Verb.OBLITERATE), argv)
    (name,) = words(read, "QUEUE")
    return carry(
        Wish(Verb.OBLITERATE, name, Selection(), read, lambda at: Order(Verb.OBLITERATE, at, force=read.force))
    )


def extend(argv: list[str]) -> int:
    """Push the lease of one job out."""
    made = act_parser(Verb.EXTEND)
    made.add_argument("--by", type=length, required=True, metavar="T", help="how long: 90s, 5m, 2h")
    read = parse(made, argv)
    name, job_id = words(read, "QUEUE", "ID")
    chosen = _selection(read, (job_id,))
    return carry(Wish(Verb.EXTEND, name, chosen, read, lambda at: Order(Verb.EXTEND, at, by_ms=read.by)))


def pause(argv: list[str]) -> int:
    """Hold a queue or one lane back."""
    return _hold(Verb.PAUSE, argv)


def resume(argv: list[str]) -> int:
    """Let a queue or one lane run again."""
    return _hold(Verb.RESUME, argv)


def _hold(verb: Verb, argv: list[str]) -> int:
    made = act_parser(verb)
    made.add_argument("--lane", metavar="G", help="only this lane")
    read = parse(made, argv)
    (name,) = words(read, "QUEUE")
    return carry(Wish(verb, name, Selection(), read, lambda at: Order(verb, at, lane=read.lane)))


def limit(argv: list[str]) -> int:
    """Jobs of a BullMQ queue, or of one lane, that may run at once."""
    made = act_parser(Verb.LIMIT)
    made.add_argument("--jobs", type=number(1, typed.MOST_AT_ONCE), metavar="N", help="at most so many")
    made.add_argument("--none", action="store_true", help="as many as there are workers for")
    made.add_argument("--lane", metavar="G", help="only this lane")
    read = parse(made, argv)
    (name,) = words(read, "QUEUE")
    if (read.jobs is None) != read.none:
        raise UsageError("one of --jobs and --none is wanted")
    wish = Wish(
        Verb.LIMIT, name, Selection(), read, lambda at: Order(Verb.LIMIT, at, lane=read.lane, ceiling=read.jobs)
    )
    return carry(wish)


def act_parser(verb: Verb, *, bulk: bool = False) -> Parser:
    """What every act takes on the command line."""
    act = ACTS[verb]
    made = parser(verb.value, f"{act.help}.")
    made.add_argument("--dry-run", action="store_true", help="say what would be done, send nothing but reads")
    made.add_argument("--yes", action="store_true", help="do it to more than one job without asking")
    if act.forcible:
        made.add_argument("--force", action="store_true", help="against a live lease or the mark of a worker too")
    if bulk:
        made.add_argument("--rate", type=_rate, metavar="N", help="jobs a second at most")
    return made


def queue_and_ids(read: argparse.Namespace, *, needed: bool = False) -> tuple[str, tuple[str, ...]]:
    """The queue's name, and ids, each once.

    Raises:
        UsageError: the name is missing, or an id where one is needed.
    """
    name, *ids = words(read, "QUEUE") if len(read.words) < 2 else read.words
    if needed and not ids:
        raise UsageError("ID missing")
    return name, tuple(dict.fromkeys(ids))


def _selection(read: argparse.Namespace, ids: tuple[str, ...]) -> Selection:
    where: Filter = getattr(read, "where", None) or EVERY
    return Selection(ids=ids, where=where, limit=getattr(read, "limit", None))


def length(text: str) -> int:
    """Milliseconds of a duration, more than 0 and at most a year."""
    try:
        return typed.length(text)
    except typed.BadValue as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _rate(text: str) -> float:
    return float(number(1, 1_000_000)(text))
