"""The dashboard on a real terminal, beside a minimal Textual app, htop, Textual's own table, and the rival."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from tests.bench import seeds
from tests.bench.gauges import middle, quantile
from tests.bench.screens import REPOSITORY, Screen, Window, app, emqtop, environment, htop, rival, run, watch
from tests.bench.table import Row, against, beside
from tests.bench.traffic import Traffic, bullmq_jobs, ten_cells
from tests.bench.world import World, path_of
from tests.servers.process import ServerProcess
from tests.servers.weather import Weather

_LAST = b"q00047"
"""A queue at the bottom of the first screen, where there are 50."""
_MANY = 10_000
_LOADING = (
    "a minimal app has one widget; loading emqtop's own seventy modules is the difference, "
    "and the reason why numbers are drawn before Textual is there"
)
_INTERPRETER = "two fifths of it are the interpreter and the standard library; the rival is one compiled program"
_WAKING = "a tick wakes an interpreter twenty times: to ask, judge, remember and compare fifty rows; htop is compiled"
_COMPOSING = (
    "asking and judging take more than that in an idle second; the rest is Textual's compositor, a region a cell"
)

_TEXTUAL = b"\x1b[?2026$p"
"""What Textual alone writes, as it begins."""


async def first(world: World) -> list[Row]:
    """From the start of the process to numbers on the screen, and to those that Textual draws."""
    early: list[float] = []
    late: list[float] = []
    filled: list[float] = []
    floor: list[float] = []
    theirs: list[float] = []
    with _fifty(world) as server, _fifty_bullmq(world) as other:
        for _ in range(6):
            early.append(_first(emqtop(server.url), _LAST))
            late.append(_first_of_textual(emqtop(server.url), b"QUEUE", "first_frame = false"))
            filled.append(_first_of_textual(emqtop(server.url), _LAST))
            floor.append(_first(app("minimal"), b"READYMARK"))
            if (command := rival(other.url)) is not None:
                theirs.append(_first(command, _LAST))
    # The first turn compiles what is not compiled yet.
    minimal = ("minimal Textual app", middle(floor[1:]))
    rows = [
        against("first", "first numbers on the screen", middle(early[1:]), "ms", minimal, 1.1),
        against(
            "first",
            "first frame that Textual draws, first_frame = false",
            middle(late[1:]),
            "ms",
            minimal,
            1.1,
            _LOADING,
        ),
        beside("first", "first frame that Textual draws, behind the numbers", middle(filled[1:]), "ms", minimal),
    ]
    if theirs:
        splashless = ("bulltui --no-splash", middle(theirs))
        rows.append(
            against("first", "first numbers on the screen", middle(early[1:]), "ms", splashless, 1, _INTERPRETER)
        )
    return rows


async def ls(world: World) -> list[Row]:
    """`emqtop ls` of 50 queues, the interpreter included."""
    with _fifty(world) as server:
        command = [sys.executable, "-m", "emqtop", "ls", "--json", "--url", server.url]
        walls, floor = [], []
        for _ in range(7):
            walls.append(_wall(command))
            floor.append(_wall([sys.executable, "-c", "pass"]))
        done = subprocess.run(
            [sys.executable, "-X", "importtime", *command[1:]],
            capture_output=True,
            cwd=REPOSITORY,
            check=True,
            env=environment("/nonexistent"),
        )
    loaded = [line.rsplit(b"|")[-1].strip() for line in done.stderr.splitlines()]
    heavy = [name for name in loaded if name.split(b".")[0] in {b"textual", b"rich", b"redis", b"asyncio"}]
    return [
        Row("ls", "emqtop ls --json, 50 queues", middle(walls[1:]), "ms", "python -c pass", middle(floor[1:]), 250),
        Row("ls", "  modules of textual, rich, redis and asyncio loaded", len(heavy), "", budget=0),
    ]


async def idle(world: World) -> list[Row]:
    """Nothing changes, 50 queues, one sample a second."""
    with _fifty(world) as server, _fifty_bullmq(world) as other, ExitStack() as stack:
        ours = _started(stack, emqtop(server.url), _LAST)
        beside_it = {
            "htop at 1 Hz": _started(stack, htop(), b"PID"),
            "bulltui": _started(stack, rival(other.url), b"q00001"),
        }
        # The numbers of the server strip stand once they were taken over ten seconds.
        mine, others = _windows(ours, beside_it, settle=24, seconds=12)
    rows = [
        Row("idle", "50 queues, nothing changes: to the terminal", mine.bytes_s, "B/s", budget=0),
        Row("idle", "  memory", mine.memory, "MB", budget=60),
    ]
    for name, window in others.items():
        budget = window.cpu if name.startswith("htop") else None
        rows.append(Row("idle", "  CPU", mine.cpu, "%", name, window.cpu, budget, why=_WAKING))
        rows.append(beside("idle", "  to the terminal", mine.bytes_s, "B/s", (name, window.bytes_s)))
    return rows


async def moving(world: World) -> list[Row]:
    """Ten cells change each second."""
    with _fifty(world) as server, ExitStack() as stack:
        ours = _started(stack, emqtop(server.url), _LAST)
        beside_it = {
            "htop at 1 Hz": _started(stack, htop(), b"PID"),
            "Textual's DataTable": _started(stack, app("table"), b"READYMARK"),
        }
        stack.enter_context(Traffic(path_of(server), ten_cells, 1))
        mine, others = _windows(ours, beside_it, settle=4, seconds=8)
    rows = []
    for name, window in others.items():
        times = 1.0 if name.startswith("htop") else 1 / 15
        rows.append(
            against("moving", "10 cells a second: to the terminal", mine.bytes_s, "B/s", (name, window.bytes_s), times)
        )
        rows.append(against("moving", "  CPU", mine.cpu, "%", (name, window.cpu), times, _COMPOSING))
    return rows


async def load(world: World) -> list[Row]:
    """200 jobs a second through five BullMQ queues, the overview in front, then the events."""
    rows = []
    for key, view in (("", "overview"), ("E", "events")):
        with world.fresh() as server, ExitStack() as stack:
            seeds.fill_bullmq(path_of(server), 5)
            ours = _started(stack, emqtop(server.url), b"q00004")
            beside_it = {"bulltui": _started(stack, rival(server.url), b"q00004")}
            stack.enter_context(Traffic(path_of(server), bullmq_jobs, 20))
            mine, others = _windows(ours, beside_it, settle=3, seconds=8, key=key)
        what = f"200 jobs/s over 5 queues, {view}"
        rows += [Row("load", f"{what}: to the terminal", mine.bytes_s, "B/s"), Row("load", "  CPU", mine.cpu, "%")]
        for name, window in others.items():
            rows[-2:] = [
                against("load", f"{what}: to the terminal", mine.bytes_s, "B/s", (name, window.bytes_s), 1 / 10),
                beside("load", "  CPU", mine.cpu, "%", (name, window.cpu)),
            ]
    return rows


async def commands(world: World) -> list[Row]:
    """What 1,000 idle queues cost the server."""
    server = world.fresh()
    seeds.fill_bullmq(path_of(server), 1_000)
    with ExitStack() as stack:
        screens = [_started(stack, emqtop(server.url), b"q00047"), _started(stack, rival(server.url), b"q00047")]
        shown = [screen for screen in screens if screen is not None]
        run(shown, 6)
        before = _sent(server)
        run(shown, 10)
        after = _sent(server)
    server.close()
    ours, theirs = (_a_second(after[mine], before[mine], 10) for mine in (True, False))
    what = "1,000 idle queues, dashboard"
    if len(shown) < 2:
        return [Row("commands", what, ours[0], "commands/s"), Row("commands", "  sent and received", ours[1], "B/s")]
    return [
        against("commands", what, ours[0], "commands/s", ("bulltui", theirs[0]), 1 / 10),
        beside("commands", "  sent and received", ours[1], "B/s", ("bulltui", theirs[1])),
    ]


async def memory(world: World) -> list[Row]:
    """10,000 queues on the screen."""
    with Screen(emqtop(world.wide.url)) as screen:
        screen.first(b"q00047")
        (window,) = watch([screen], 10)
    return [
        Row("memory", "10,000 queues", window.memory, "MB", budget=150),
        Row("memory", "  CPU, nothing changes", window.cpu, "%"),
    ]


async def keys(world: World) -> list[Row]:
    """From a key to the cursor on the screen, 10,000 queues at hand, then 20 ms away, then the server frozen.

    The rival gets 100 queues: with more it does not come to its first frame.
    """
    ours, theirs = _keys(world, _MANY, emqtop), _keys(world, 100, rival)
    rows = []
    for what, waits in ours.items():
        row = Row("keys", f"{_MANY:,} queues, {what}: p99", quantile(waits, 0.99), "ms", budget=100)
        if what in theirs:
            row = replace(row, beside="bulltui with 100 queues", floor=quantile(theirs[what], 0.99))
        rows += [row, Row("keys", "  median", middle(waits), "ms")]
    given_back, gone = _leaving(world)
    floor = ("minimal Textual app, gone", _minimal_leaving())
    rows.append(Row("keys", "q, server frozen: terminal given back", given_back, "ms", *floor, 1_000))
    rows.append(beside("keys", "q, server frozen: process gone", gone, "ms", floor))
    return rows


def _keys(world: World, queues: int, command: Callable[[str], list[str] | None]) -> dict[str, list[float]]:
    """Waits by weather."""
    server = world.fresh()
    seeds.fill_bullmq(path_of(server), queues)
    with server, Weather(path_of(server)) as proxy, ExitStack() as stack:
        screen = _started(stack, command(proxy.url), b"q00003")
        if screen is None:
            return {}
        run([screen], 2)
        waits = {"at hand": _presses(screen)}
        proxy.rtt_ms = 20
        waits["20 ms away"] = _presses(screen)
        server.freeze()
        stack.callback(server.thaw)
        waits["server frozen"] = _presses(screen)
    return waits


def _presses(screen: Screen, times: int = 40, seconds: float = 6, patience_s: float = 7) -> list[float]:
    """Up and down by turns, spread over some seconds so that some fall into a sample; ends with one in vain."""
    waits: list[float] = []
    while len(waits) < times and (not waits or waits[-1] < patience_s * 1000):
        waits.append(screen.answer_ms("k" if len(waits) % 2 else "j", patience_s))
        run([screen], seconds / times)
    return waits


def _leaving(world: World) -> tuple[float, float]:
    with _fifty(world) as server, Screen(emqtop(server.url)) as screen:
        screen.first(_LAST)
        server.freeze()
        run([screen], 2)
        return screen.leave_ms("q")


def _minimal_leaving() -> float:
    with Screen(app("minimal")) as screen:
        screen.first(b"READYMARK")
        run([screen], 1)
        return screen.leave_ms("\x11")[1]


@contextmanager
def _fifty(world: World) -> Iterator[ServerProcess]:
    with world.fresh() as server:
        seeds.fill(path_of(server), 50, 10)
        yield server


@contextmanager
def _fifty_bullmq(world: World) -> Iterator[ServerProcess]:
    with world.fresh() as server:
        seeds.fill_bullmq(path_of(server), 50)
        yield server


def _first(command: Sequence[str], mark: bytes, config: str = "") -> float:
    with Screen(command, config) as screen:
        return screen.first(mark)


def _first_of_textual(command: Sequence[str], mark: bytes, config: str = "") -> float:
    with Screen(command, config) as screen:
        return screen.first_after(_TEXTUAL, mark)


def _started(stack: ExitStack, command: Sequence[str] | None, mark: bytes) -> Screen | None:
    if command is None:
        return None
    screen = stack.enter_context(Screen(command))
    screen.first(mark)
    return screen


def _windows(
    ours: Screen | None, others: dict[str, Screen | None], settle: float, seconds: float, key: str = ""
) -> tuple[Window, dict[str, Window]]:
    assert ours is not None
    there = {name: screen for name, screen in others.items() if screen is not None}
    for screen in (ours, *there.values()):
        screen.press(key)
    run([ours, *there.values()], settle)
    mine, *rest = watch([ours, *there.values()], seconds)
    return mine, dict(zip(there, rest, strict=True))


def _wall(command: Sequence[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=REPOSITORY)
    return (time.perf_counter() - began) * 1000


def _sent(server: ServerProcess) -> dict[bool, tuple[int, int]]:
    """Commands and bytes of emqtop's connections (True) and of all others so far, by the server's count."""
    raw = server("CLIENT", "LIST")
    assert isinstance(raw, bytes)
    sums = {True: (0, 0), False: (0, 0)}
    for line in raw.decode().splitlines():
        told = dict(part.partition("=")[::2] for part in line.split(" "))
        # The bench's own question comes over the unix socket.
        if told["laddr"].endswith(":0"):
            continue
        mine = told["name"].startswith("emqtop")
        commands, size = sums[mine]
        size += int(told["tot-net-in"]) + int(told["tot-net-out"])
        sums[mine] = (commands + int(told["tot-cmds"]), size)
    return sums


def _a_second(now: tuple[int, int], then: tuple[int, int], seconds: float) -> tuple[float, float]:
    return (now[0] - then[0]) / seconds, (now[1] - then[1]) / seconds
