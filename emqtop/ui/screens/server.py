"""The server: everything that is known of it, what asking it costs, and what it withholds, in words."""

from collections.abc import Iterator

from textual.widget import Widget

from emqtop.model.server_health import SILENT_MS
from emqtop.model.snapshot import NEAR_LIMIT, SAFE_POLICY, Snapshot
from emqtop.text import pad, safe
from emqtop.ui.commands import Place, bindings
from emqtop.ui.screens.live import LiveScreen
from emqtop.ui.scrolling import Scrolling
from emqtop.ui.server_line import round_to_two, round_trip, rounded
from emqtop.ui.vitals import Vitals
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Paper, Text
from emqtop.units import NOTHING, count, duration, iso, size

LABEL = 16
"""Cells of the names on the left."""

_MODES = {
    "tracking": "only keys that changed are read again",
    "polling": "every queue is read at each sample",
}


class ServerScreen(LiveScreen, Scrolling[None]):
    """What the strip at the top has no room for."""

    PLACE = Place.SERVER
    BINDINGS = bindings(Place.SERVER, Place.TEXT)

    def view(self) -> Iterator[Widget]:
        """A text."""
        yield Paper(id="paper")

    def crumbs(self) -> tuple[str, ...]:
        """Outside of any queue."""
        return ("emqtop", "server")

    def on_mount(self) -> None:
        """Give the keys to the text."""
        super().on_mount()
        self.query_one(Paper).focus()

    def watch_moment(self) -> None:
        """Draw fresh numbers."""
        super().watch_moment()
        self.query_one(Paper).show(list(server_text(self.moment.snapshot, self.moment.vitals)))


def server_text(snapshot: Snapshot, vitals: Vitals) -> Iterator[Text]:
    """All that is known, a line each."""
    yield from _who(snapshot, vitals)
    yield ()
    yield (Part("what emqtop asks", "accent"),)
    yield _line("how", f"{safe(snapshot.mode)}: {_MODES.get(snapshot.mode, '')}")
    yield _line("a sample takes", NOTHING if vitals.round_trip_ms is None else round_trip(vitals.round_trip_ms))
    yield _line("commands", NOTHING if vitals.commands is None else f"{rounded(vitals.commands)} a second")
    yield _line("traffic", NOTHING if vitals.bytes is None else f"{size(round_to_two(vitals.bytes))} a second")
    swept = "the whole keyspace was looked through" if snapshot.swept else "the keyspace is still being looked through"
    yield _line("queues", f"{count(len(snapshot.queues))}, {swept}")
    yield ()
    yield (Part("what the server withholds", "accent"),)
    for limit in snapshot.limits:
        yield (Part("  ! ", "warn"), Part(safe(limit)))
    if not snapshot.limits:
        yield (Part("  nothing that was asked for", "dim"),)


def _who(snapshot: Snapshot, vitals: Vitals) -> Iterator[Text]:
    server = snapshot.server
    yield _line("address", safe(server.url) or NOTHING, "strong")
    yield _line("server", safe(f"{server.kind or NOTHING} {server.version or ''}".strip()))
    yield _line("mode", safe(server.mode or NOTHING))
    yield _line("role", safe(server.role or NOTHING), "plain" if server.role in {"master", None} else "warn")
    if server.silent_ms is not None:
        whom = "the master was" if server.role == "replica" else "every replica was"
        tone = "plain" if server.silent_ms < SILENT_MS else "warn"
        yield _line("replication", f"{whom} heard within {duration(server.silent_ms)}", tone)
    yield _line("memory", *_memory(vitals.memory_bytes, server.memory_limit_bytes, server.eviction))
    is_safe = server.eviction in {None, SAFE_POLICY}
    evicts = "" if is_safe else ": jobs can vanish when memory is full"
    yield _line("eviction", safe(server.eviction or NOTHING) + evicts, "plain" if is_safe else "bad")
    yield _line("clients", count(server.clients))
    yield _line("wire version", safe(server.wire_version or NOTHING))
    if snapshot.clock == "server":
        yield _line("clock", f"the server's: {iso(snapshot.at_ms // 60_000 * 60_000)}")
    else:
        yield _line("clock", "this machine's, since the server withholds its own", "warn")


def _memory(used: int | None, limit: int | None, eviction: str | None) -> tuple[str, str]:
    if used is None:
        return NOTHING, "dim"
    if not limit:
        return f"{size(used)}, no limit set", "plain"
    full = used > NEAR_LIMIT * limit
    then = " (then every write is refused)" if full and eviction == SAFE_POLICY else ""
    return f"{size(used)} of {size(limit)}, {100 * used // limit} %{then}", "warn" if full else "plain"


def _line(label: str, words: str, tone: str = "plain") -> Text:
    return (Part("  " + pad(label, LABEL), "dim"), Part(words, tone))
