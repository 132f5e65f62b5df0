"""The overview as the standard library draws it, while the dashboard is still being imported.

Textual takes 300 to 500 ms to import; the first numbers are there in a fifth of it. What is drawn are the columns,
rows and colours that the dashboard draws at the same places, so that nothing jumps when it takes the screen over.
"""

import os
import sys
import termios
import threading
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import TracebackType
from typing import Any, Self, TypeAlias

from emqtop.cli.console import end_on_signals
from emqtop.model.snapshot import EMPTY, Snapshot
from emqtop.present.columns import GAP, Placed, fit
from emqtop.present.paint import depth, paint
from emqtop.present.queue_columns import WATCHED
from emqtop.present.rows import QueueRow, queue_rows
from emqtop.resources import folder
from emqtop.sampling.oneshot import OneShot
from emqtop.settings import Settings, themes_folder
from emqtop.text import ASCII, cells, cut, pad, safe
from emqtop.ui.ordering import WORDS, Order
from emqtop.ui.sections import HIGH, TITLED, has_groups, sections
from emqtop.units import count, counted
from emqtop.wire.errors import SourceError

PATIENCE_S = 0.15
"""How long to wait for the server before the frame is drawn without numbers, seconds."""
_SWEEP_KEYS = 5_000
_SEARCH_S = 0.2
_LOOK_S = 1.0
_GUTTER = 2
_SHOW, _LEAVE = b"\x1b[?1049h\x1b[?25l", b"\x1b[?25h\x1b[?1049l"

_Part: TypeAlias = tuple[str, str]
"""Safe text and its tone."""


class FirstFrame:
    """The screen until the dashboard takes it; a context manager that leaves the terminal as it was.

    Args:
        settings: where to look, how to paint.

    Attributes:
        snapshot: what is shown; empty while there was no answer.
        arrived_s: when that came in, seconds of the monotonic clock.
    """

    def __init__(self, settings: Settings) -> None:
        self.snapshot: Snapshot = EMPTY
        self.arrived_s = 0.0
        self._settings = replace(settings, timeout_s=min(settings.timeout_s, _LOOK_S))
        self._terminal, self._screen = sys.__stdin__.fileno(), sys.__stderr__.fileno()  # type: ignore[union-attr]
        self._modes = termios.tcgetattr(self._terminal)
        self._lock = threading.Lock()
        self._mine = False
        self._trouble = ""
        self._canvas = _Canvas(settings)

    def __enter__(self) -> Self:
        end_on_signals()
        self._mine = True
        termios.tcsetattr(self._terminal, termios.TCSANOW, _still(self._modes))
        self._put(_SHOW)
        looking = threading.Thread(target=self._look, name="emqtop-first", daemon=True)
        looking.start()
        looking.join(PATIENCE_S)
        if looking.is_alive():
            self._draw()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            was_mine, self._mine = self._mine, False
        # Where an error ends the dashboard it may have left the terminal half-way.
        if was_mine or error is not None:
            self._put(_LEAVE)
        termios.tcsetattr(self._terminal, termios.TCSANOW, self._modes)

    def take(self) -> list[Any]:
        """Draw no more; returns the modes that the terminal had at first, as termios has them."""
        with self._lock:
            self._mine = False
        return self._modes

    def _look(self) -> None:
        try:
            with OneShot(self._settings) as shot:
                snapshot = shot.sample(_SWEEP_KEYS, _SEARCH_S)
            self.arrived_s = time.monotonic()
            self.snapshot = snapshot
        except SourceError as error:
            self._trouble = safe(str(error))
        self._draw()

    def _draw(self) -> None:
        size = os.get_terminal_size(self._screen)
        width, height = size.columns or 80, size.lines or 24
        shown = self._canvas.lines(self.snapshot, self._trouble, width, height)
        placed = (f"\x1b[{at}H{line}" for at, line in enumerate(islice(shown, height), 1))
        with self._lock:
            if self._mine:
                self._put("".join(placed).encode())

    def _put(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._screen, data) :]


class _Canvas:
    """Draws the lines of the overview in the colours of the theme."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._colours = depth(os.environ)
        self._tones = _tones(settings.theme_name(os.environ))
        self._looks: dict[tuple[str, str], str] = {}

    def lines(self, snapshot: Snapshot, trouble: str, width: int, height: int) -> Iterator[str]:
        """Every line of the screen, each as wide as it is; at least four."""
        placed = fit(WATCHED, max(1, width - _GUTTER - 1))
        watched = [("  read-only", "warn")] if self._settings.read_only else []
        yield self._line([(" ", "bar"), ("emqtop", "key"), *watched], width, "bar")
        titles = "".join(pad(at.column.title, at.width, at.column.align) + " " * GAP for at in placed)
        room = max(1, height - 3)
        if room >= TITLED:
            yield self._line([(" " * _GUTTER + titles, "heading")], width, "heading")
            room -= 1
        body = list(islice(_body(snapshot, placed, room >= HIGH), room))
        yield from (self._line(parts, width, ground) for parts, ground in body)
        yield from (self._line([], width, "plain") for _ in range(room - len(body)))
        yield self._line(_status(snapshot, trouble, width), width, "plain")
        yield self._line([], width, "bar")

    def _line(self, parts: Sequence[_Part], width: int, ground: str) -> str:
        """Parts on one ground, cut or filled to the width."""
        painted, left, before = [], width, ""
        room = width - sum(cells(text) for text, _ in parts)
        for text, tone in (*parts, (" " * room, ground)):
            shown = cut(text, left)
            left -= cells(shown)
            shown = shown.translate(ASCII) if self._settings.ascii else shown
            # Blanks look alike in every tone.
            look = self._look(ground, ground if shown.isspace() else tone)
            painted.append(shown if look == before else look + shown)
            before = look
        return "".join(painted) + "\x1b[0m"

    def _look(self, ground: str, tone: str) -> str:
        if (found := self._looks.get((ground, tone))) is None:
            styles = (self._tones.get(each, "") for each in ("ground", "plain", ground, tone))
            found = self._looks[ground, tone] = paint(self._colours, *styles)
        return found


def _body(snapshot: Snapshot, placed: Sequence[Placed[QueueRow]], high: bool) -> Iterator[tuple[list[_Part], str]]:
    """What stands between the titles and the status line, each line with its ground."""
    rows = queue_rows(snapshot)
    if snapshot.at_ms and not rows:
        yield [], "plain"
        yield [("  no queues found yet", "dim")], "plain"
    cursor, ground = "❯ ", "cursor"
    for section in sections(rows, Order.WORST, turned=False, grouped=has_groups(row.queue.id for row in rows)):
        if section.title and high:
            yield [("  ", "plain"), *section.heading], "plain"
        for row in section.rows:
            yield [(cursor, "mark"), *_cells(row, placed, snapshot.at_ms)], ground
            cursor, ground = "  ", "plain"


def _cells(row: QueueRow, placed: Sequence[Placed[QueueRow]], now_ms: int) -> Iterator[_Part]:
    for at in placed:
        cell = at.column.cell(row, now_ms)
        yield pad(cell.text, at.width, at.column.align) + " " * GAP, str(cell.tone)


def _status(snapshot: Snapshot, trouble: str, width: int) -> list[_Part]:
    waiting = sum(queue.pending or 0 for queue in snapshot.queues)
    late = sum(queue.overdue or 0 for queue in snapshot.queues)
    right = [(f"{count(late)} overdue  ", "bad")] if late else []
    right += [(f"{counted(len(snapshot.queues), 'queue')}  {count(waiting)} pending", "plain")]
    right += [(f"  {WORDS[Order.WORST]} ", "dim")]
    said = trouble or ("" if snapshot.at_ms else "waiting for the server")
    room = max(0, width - sum(cells(text) for text, _ in right))
    return [(pad(f" {said}", room), "bad" if trouble else "dim"), *right]


def _tones(theme: str) -> Mapping[str, str]:
    """The styles of a theme, the user's before one that comes with emqtop; none where it cannot be read."""
    places = (themes_folder(os.environ), folder("themes"))
    path = next((path for place in places if (path := place / f"{theme}.toml").is_file()), places[-1] / "none")
    try:
        table = tomllib.loads(path.read_text("utf-8"))
        return {"ground": f"{table['colours']['foreground']} on {table['colours']['background']}", **table["tones"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _still(modes: list[Any]) -> list[Any]:
    """Modes in which keys wait for the dashboard, unseen and as it reads them; Ctrl-C still ends it at once."""
    iflag, oflag, cflag, lflag, *speeds, signs = modes
    iflag &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
    lflag &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
    signs = [*signs]
    signs[termios.VSUSP] = b"\x00"
    return [iflag, oflag, cflag, lflag, *speeds, signs]
