"""`emqtop check`: for monitoring, one line and the exit codes of its plug-ins."""

import argparse

from emqtop.cli.console import UsageError, document, line, masked
from emqtop.cli.options import parse, parser, settings
from emqtop.cli.queue_name import among, find
from emqtop.model.snapshot import Snapshot
from emqtop.model.thresholds import MEASURES, Status, Threshold, breaches, worst
from emqtop.present.check import check_document, check_line
from emqtop.sampling.oneshot import SWEEP_KEYS, AmbiguousQueue, OneShot, UnknownQueue
from emqtop.settings import BadSettings, Settings
from emqtop.units import BadDuration, parse_duration
from emqtop.wire.errors import SourceError


class NotWhole(Exception):
    """Not every queue was found, so that none can be called well."""

    def __init__(self, limits: tuple[str, ...]) -> None:
        super().__init__("; ".join(["not every queue was found", *limits]))


def check(argv: list[str]) -> int:
    """Hold the numbers of queues against thresholds; whatever goes wrong is unknown, never critical."""
    try:
        return _check(argv)
    except (UsageError, BadSettings, UnknownQueue, AmbiguousQueue, NotWhole, SourceError) as error:
        if "--json" in argv:
            document({"status": "unknown", "code": int(Status.UNKNOWN), "error": masked(error)})
        else:
            line(f"UNKNOWN: {masked(error)}")
        return Status.UNKNOWN


def _check(argv: list[str]) -> int:
    says = "For monitoring: one line, and exit 0 ok, 1 warning, 2 critical, 3 unknown. CRIT or WARN,CRIT: above it."
    made = parser("check", says)
    for measure in MEASURES:
        unit, kind = ("T", _time) if measure.is_time else ("N", _number)
        made.add_argument(
            f"--max-{measure.name}", type=kind, dest=measure.name, metavar=f"[{unit},]{unit}", help=measure.says
        )
    read = parse(made, argv)
    wanted = {each: limit for each in MEASURES if (limit := getattr(read, each.name)) is not None}
    snapshot = _look(settings(read), read.words)
    found = breaches(snapshot, wanted)
    if not (found or read.words or snapshot.swept):
        raise NotWhole(snapshot.limits)
    if read.json:
        document(check_document(snapshot, found))
    else:
        line(check_line(snapshot, wanted, found))
    return worst(found)


def _look(chosen: Settings, names: list[str]) -> Snapshot:
    with OneShot(chosen) as shot:
        wanted = {find(shot, name) for name in dict.fromkeys(names)}
        return among(shot.sample(0 if wanted else SWEEP_KEYS), wanted)


def _number(text: str) -> Threshold:
    if not all(part.isascii() and part.isdigit() and len(part) < 16 for part in text.split(",")):
        raise argparse.ArgumentTypeError(f"{text!r} is neither N nor WARN,CRIT in whole numbers")
    return _threshold([int(part) for part in text.split(",")])


def _time(text: str) -> Threshold:
    try:
        return _threshold([parse_duration(part) for part in text.split(",")])
    except BadDuration as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _threshold(values: list[int]) -> Threshold:
    if len(values) > 2 or values != sorted(values):
        raise argparse.ArgumentTypeError("wanted CRIT or WARN,CRIT, the smaller first")
    return Threshold(values[-1], values[0] if len(values) == 2 else None)
