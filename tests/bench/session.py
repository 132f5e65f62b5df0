"""A session on the demo as somebody has it: looks at every screen, frees jobs, leaves; bytes a second of each part."""

import os
import sys

from tests.bench.screens import Screen, htop, run
from tests.bench.table import Row
from tests.bench.world import World

MINUTES = float(os.environ.get("SESSION_MINUTES", "2"))
"""How long it takes; ten by `SESSION_MINUTES=10 python -m tests.bench session`."""
FRAME_BYTES = 9_999
"""A second on a slow line: single kilobytes."""
_STEPS: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("overview", (), 5),
    ("another order and back", ("s", "s", "S", "S"), 1),
    ("a queue, tab by tab", ("j", "\r", "\t", "\t", "\t"), 3),
    ("workers, schedulers, metrics", ("8", "9", "0"), 2),
    ("a job", ("2", "\r"), 1),
    ("events of all", ("\x1b", "\x1b", "\x1b", "E"), 2),
    ("charts", ("\x1b", "c"), 2),
    ("errors", ("\x1b", "f"), 1),
    ("reap, asked and answered", ("\x1b", "r", "y", "\x1b"), 1),
    ("doctor", ("D",), 1),
    ("audit", ("\x1b", "A"), 1),
    ("help", ("\x1b", "?"), 1),
    ("overview again", ("\x1b",), 2),
)
"""What is looked at, the keys that lead there, and for how many parts of the time."""


async def session(world: World) -> list[Row]:
    """Walk through the demo."""
    share_s = MINUTES * 60 / sum(parts for _, _, parts in _STEPS)
    rows: list[Row] = []
    floor = _htop_bytes_s()
    with Screen([sys.executable, "-m", "emqtop", "demo", "--seed", "1", "--no-reaper"]) as screen:
        screen.first(b"orders")
        run([screen], 3)
        began = len(screen.raw)
        for what, keys, parts in _STEPS:
            before = len(screen.raw)
            for key in keys:
                screen.press(key)
                run([screen], 0.4)
            run([screen], max(0.0, share_s * parts - 0.4 * len(keys)))
            seconds = max(share_s * parts, 0.4 * len(keys))
            rows.append(Row("session", f"  {what}", (len(screen.raw) - before) / seconds, "B/s", budget=FRAME_BYTES))
        whole = (len(screen.raw) - began) / (MINUTES * 60)
        screen.leave_ms("q")
    what = f"the demo for {MINUTES:g} minutes: to the terminal"
    first = Row("session", what, whole, "B/s", "htop at 1 Hz", floor, FRAME_BYTES)
    return [first, *rows]


def _htop_bytes_s() -> float | None:
    """What htop writes on the same terminal; None: not installed."""
    if (command := htop()) is None:
        return None
    with Screen(command) as screen:
        screen.first(b"PID")
        run([screen], 2)
        before = len(screen.raw)
        run([screen], 8)
        return (len(screen.raw) - before) / 8
