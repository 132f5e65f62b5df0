"""How queues stand against thresholds, as monitoring reads it: a line, or a document."""

from collections.abc import Mapping, Sequence
from typing import Any

from emqtop.model.snapshot import Snapshot
from emqtop.model.thresholds import MEASURES, Breach, Measure, Threshold, worst
from emqtop.present.jsonout import exact
from emqtop.text import safe
from emqtop.units import counted, duration


def check_line(snapshot: Snapshot, wanted: Mapping[Measure, Threshold], found: Sequence[Breach]) -> str:
    """One line as monitoring reads it: how it stands, why, and behind a bar the sums with their thresholds."""
    why = ", ".join(map(_breach, found)) or counted(len(snapshot.queues), "queue")
    numbers = " ".join(_performance(snapshot, measure) for measure in MEASURES if measure in wanted)
    # A bar in a name would begin the numbers.
    return f"{worst(found).name}: {why.replace('|', '¦')}" + (f" | {numbers}" if numbers else "")


def _breach(breach: Breach) -> str:
    name = safe(breach.queue.id.name)
    if breach.measure is None:
        return f"{name} cannot be read whole: {safe(breach.queue.error or '', newline=' ')}"
    if breach.value is None:
        return f"{name} {breach.measure.name} is not known"
    return f"{name} {breach.measure.name} {_shown(breach.measure, breach.value)} ({breach.status.name.lower()})"


def _shown(measure: Measure, value: int) -> str:
    return duration(value) if measure.is_time else str(value)


def _performance(snapshot: Snapshot, measure: Measure) -> str:
    values = [value for queue in snapshot.queues if (value := measure.of(queue, snapshot.at_ms)) is not None]
    if measure.is_time:
        return f"{measure.name}={max(values, default=0)}ms"
    return f"{measure.name}={sum(values)}"


def check_document(snapshot: Snapshot, found: Sequence[Breach]) -> dict[str, Any]:
    """How it stands, and each number that is not as it should be; `value` is null where it is not known."""
    status = worst(found)
    return {
        "status": status.name.lower(),
        "code": int(status),
        "queues": len(snapshot.queues),
        "breaches": [
            {
                "family": breach.queue.id.family.value,
                "prefix": exact(breach.queue.id.prefix),
                "queue": exact(breach.queue.id.name),
                "measure": None if breach.measure is None else breach.measure.name,
                "value": breach.value,
                "status": breach.status.name.lower(),
                "error": None if breach.queue.error is None else safe(breach.queue.error),
            }
            for breach in found
        ],
    }
