"""What a queue may do at most, and waking its workers."""

from emqtop.acting.plan import Selection
from emqtop.cli.acts import act_parser, length
from emqtop.cli.console import UsageError
from emqtop.cli.operate import Wish, carry
from emqtop.cli.options import number, parse, words
from emqtop.model.actions import Order, Verb

_MOST = 1_000_000


def limit(argv: list[str]) -> int:
    """Jobs of a BullMQ queue, or of one lane, that may run at once."""
    made = act_parser(Verb.LIMIT, "QUEUE --jobs N|--none")
    made.add_argument("--jobs", type=number(1, _MOST), metavar="N", help="at most so many")
    made.add_argument("--none", action="store_true", help="as many as there are workers for")
    made.add_argument("--lane", metavar="G", help="only this lane")
    read = parse(made, argv)
    (name,) = words(read, "QUEUE")
    if (read.jobs is None) != read.none:
        raise UsageError("one of --jobs and --none is wanted")
    order = Wish(
        Verb.LIMIT, name, Selection(), read, lambda at: Order(Verb.LIMIT, at, lane=read.lane, ceiling=read.jobs)
    )
    return carry(order)


def rate(argv: list[str]) -> int:
    """Jobs of a queue that may start in a while."""
    made = act_parser(Verb.RATE, "QUEUE --jobs N --per T|--none")
    made.add_argument("--jobs", type=number(1, _MOST), metavar="N", help="at most so many")
    made.add_argument("--per", type=length, metavar="T", help="in a window of this length: 1s, 5m")
    made.add_argument("--none", action="store_true", help="no limit")
    read = parse(made, argv)
    (name,) = words(read, "QUEUE")
    if read.none == (read.jobs is not None) or (read.jobs is None) != (read.per is None):
        raise UsageError("--jobs with --per is wanted, or --none")
    order = Wish(
        Verb.RATE, name, Selection(), read, lambda at: Order(Verb.RATE, at, ceiling=read.jobs, by_ms=read.per or 0)
    )
    return carry(order)


def wake(argv: list[str]) -> int:
    """Wake an idle worker."""
    read = parse(act_parser(Verb.WAKE, "QUEUE"), argv)
    (name,) = words(read, "QUEUE")
    return carry(Wish(Verb.WAKE, name, Selection(), read, lambda at: Order(Verb.WAKE, at)))
