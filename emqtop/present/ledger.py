"""What was done from here, as a document and as lines."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from emqtop.acting.entry import Entry
from emqtop.model.actions import named
from emqtop.present.jsonout import exact
from emqtop.text import safe


def audit(entries: Iterable[tuple[Entry, bool]]) -> dict[str, Any]:
    """Acts, oldest first, each with whether it can be taken back; `result` is null for one that never ended.

    `ids` are the jobs of the act and `moved_ids` in its result those that moved, each in full up to 1,000; of more,
    `ends` and `moved_ends` hold the first and the last, and the journal of an act that can be undone has them all.
    """
    return {"entries": [_entry(entry, undoable) for entry, undoable in entries]}


def _entry(entry: Entry, undoable: bool) -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": entry.at,
        "who": safe(entry.who),
        "server": safe(entry.server),
        "verb": entry.verb.value,
        "family": entry.queue.family.value,
        "prefix": exact(entry.queue.prefix),
        "queue": exact(entry.queue.name),
        "ids": [exact(job_id) for job_id in entry.ids],
        "ends": [exact(job_id) for job_id in entry.ends],
        "count": entry.count,
        "selection": safe(entry.selection),
        "options": {name: safe(value) if isinstance(value, str) else value for name, value in entry.options.items()},
        "result": entry.result,
        "undo": undoable,
    }


def audit_lines(entries: Iterable[tuple[Entry, bool]], utc: bool = False) -> Iterator[str]:
    """A line an act; its time as it was written down, or in UTC."""
    for entry, undoable in entries:
        few = 0 < len(entry.ids) <= 3
        jobs = ", ".join(entry.ids) if few else f"{entry.count} jobs ({entry.selection})"
        foreign = (entry.who, entry.server, entry.verb, entry.queue.name, jobs)
        at = datetime.fromisoformat(entry.at).astimezone(UTC).isoformat("T", "milliseconds") if utc else entry.at
        yield "  ".join((entry.id, at, *map(safe, foreign), ending(entry, undoable)))


def ending(entry: Entry, undoable: bool) -> str:
    """How it ended, in words."""
    if entry.result is None:
        return "begun, its end was not written down"
    result = entry.result
    parts = [f"moved {result['moved']} of {result['matched']}"]
    parts += [f"{number} {named(reason)}" for reason, number in result["reasons"].items()]
    parts += [f"unknown {len(result['unknown'])}"] * bool(result["unknown"])
    parts += ["stopped"] * result["stopped"]
    parts += ["the server was lost"] * ("lost" in result)
    parts += ["can be undone"] * undoable
    return ", ".join(parts)
