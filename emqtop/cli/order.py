"""When and in which order BullMQ jobs run: again, later, sooner, beside their like."""

from emqtop.acting.plan import Selection
from emqtop.cli.acts import act_parser, length, queue_and_ids
from emqtop.cli.operate import Wish, carry
from emqtop.cli.options import number, parse, words
from emqtop.model.actions import Order, Verb

_MOST_PRIORITY = 2**21 - 1


def rerun(argv: list[str]) -> int:
    """Done jobs to pending."""
    made = act_parser(Verb.RERUN, "QUEUE ID…")
    made.add_argument("--reset-attempts", action="store_true", help="a fresh budget of attempts")
    read = parse(made, argv)
    name, ids = queue_and_ids(read, needed=True)
    chosen = Selection(ids=ids)
    return carry(Wish(Verb.RERUN, name, chosen, read, lambda at: Order(Verb.RERUN, at, afresh=read.reset_attempts)))


def delay(argv: list[str]) -> int:
    """Scheduled jobs to another due time."""
    made = act_parser(Verb.DELAY, "QUEUE ID… --to T")
    made.add_argument("--to", type=length, required=True, metavar="T", help="due so long from now: 90s, 5m, 2h")
    read = parse(made, argv)
    name, ids = queue_and_ids(read, needed=True)
    chosen = Selection(ids=ids)
    return carry(Wish(Verb.DELAY, name, chosen, read, lambda at: Order(Verb.DELAY, at, by_ms=read.to)))


def prioritize(argv: list[str]) -> int:
    """Pending jobs to another place in the order."""
    made = act_parser(Verb.PRIORITIZE, "QUEUE ID… --to N")
    made.add_argument(
        "--to", type=number(0, _MOST_PRIORITY), required=True, metavar="N", help="1 is served first, 0: none"
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
    read = parse(act_parser(Verb.FREE, "QUEUE ID…"), argv)
    name, ids = queue_and_ids(read, needed=True)
    return carry(Wish(Verb.FREE, name, Selection(ids=ids), read, lambda at: Order(Verb.FREE, at)))


def unschedule(argv: list[str]) -> int:
    """End a series."""
    read = parse(act_parser(Verb.UNSCHEDULE, "QUEUE SCHEDULER"), argv)
    name, scheduler = words(read, "QUEUE", "SCHEDULER")
    order = Wish(Verb.UNSCHEDULE, name, Selection(), read, lambda at: Order(Verb.UNSCHEDULE, at, scheduler=scheduler))
    return carry(order)
