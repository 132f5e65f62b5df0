"""The acts that only BullMQ queues know: run jobs again, later or sooner, their rate, their series, their workers."""

from emqtop.acting.plan import Selection
from emqtop.cli.act_command import Wish, carry
from emqtop.cli.acts import act_parser, length, queue_and_ids
from emqtop.cli.console import UsageError
from emqtop.cli.options import number, parse, words
from emqtop.model.actions import Order, Verb
from emqtop.model.typed import MOST_PRIORITY, MOST_STARTS


def rerun(argv: list[str]) -> int:
    """Done jobs to pending."""
    made = act_parser(Verb.RERUN)
    made.add_argument("--reset-attempts", action="store_true", help="a fresh budget of attempts")
    read = parse(made, argv)
    name, ids = queue_and_ids(read, needed=True)
    chosen = Selection(ids=ids)
    return carry(Wish(Verb.RERUN, name, chosen, read, lambda at: Order(Verb.RERUN, at, afresh=read.reset_attempts)))


def delay(argv: list[str]) -> int:
    """Scheduled jobs to another due time."""
    made = act_parser(Verb.DELAY)
    made.add_argument("--to", type=length, required=True, metavar="T", help="due so long from now: 90s, 5m, 2h")
    read = parse(made, argv)
    name, ids = queue_and_ids(read, needed=True)
    chosen = Selection(ids=ids)
    return carry(Wish(Verb.DELAY, name, chosen, read, lambda at: Order(Verb.DELAY, at, by_ms=read.to)))


def prioritize(argv: list[str]) -> int:
    """Pending jobs to another place in the order."""
    made = act_parser(Verb.PRIORITIZE)
    made.add_argument(
        "--to", type=number(0, MOST_PRIORITY), required=True, metavar="N", help="1 is served first, 0: none"
    )
    made.add_argument("--first", action="store_true", help="to the front of its class, of class 0 to be served next")
    read = parse(made, argv)
    name, ids = queue_and_ids(read, needed=True)
    wanted = Wish(
        Verb.PRIORITIZE,
        name,
        Selection(ids=ids),
        read,
        lambda at: Order(Verb.PRIORITIZE, at, priority=read.to, first=read.first),
    )
    return carry(wanted)


def free(argv: list[str]) -> int:
    """Let new jobs in under the deduplication ids of these."""
    read = parse(act_parser(Verb.FREE), argv)
    name, ids = queue_and_ids(read, needed=True)
    return carry(Wish(Verb.FREE, name, Selection(ids=ids), read, lambda at: Order(Verb.FREE, at)))


def unschedule(argv: list[str]) -> int:
    """End a series."""
    read = parse(act_parser(Verb.UNSCHEDULE), argv)
    name, scheduler = words(read, "QUEUE", "SCHEDULER")
    wish = Wish(Verb.UNSCHEDULE, name, Selection(), read, lambda at: Order(Verb.UNSCHEDULE, at, scheduler=scheduler))
    return carry(wish)


def rate(argv: list[str]) -> int:
    """Jobs of a queue that may start in a while."""
    made = act_parser(Verb.RATE)
    made.add_argument("--jobs", type=number(1, MOST_STARTS), metavar="N", help="at most so many")
    made.add_argument("--per", type=length, metavar="T", help="in a window of this length: 1s, 5m")
    made.add_argument("--none", action="store_true", help="no limit")
    read = parse(made, argv)
    (name,) = words(read, "QUEUE")
    if read.none == (read.jobs is not None) or (read.jobs is None) != (read.per is None):
        raise UsageError("--jobs with --per is wanted, or --none")
    wish = Wish(
        Verb.RATE, name, Selection(), read, lambda at: Order(Verb.RATE, at, ceiling=read.jobs, by_ms=read.per or 0)
    )
    return carry(wish)


def wake(argv: list[str]) -> int:
    """Wake an idle worker."""
    read = parse(act_parser(Verb.WAKE), argv)
    (name,) = words(read, "QUEUE")
    return carry(Wish(Verb.WAKE, name, Selection(), read, lambda at: Order(Verb.WAKE, at)))
