"""`emqtop record` and `emqtop replay`: keep the snapshots of an incident, look at them later."""

import math
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from emqtop.cli.console import Exit, UsageError, complain, document, line
from emqtop.cli.options import above_zero, parse, parser, seconds, settings, words
from emqtop.model.recording import BadRecording, Recorder, Recording
from emqtop.settings import Settings
from emqtop.text import safe
from emqtop.units import BadDuration, iso, parse_duration
from emqtop.wire.errors import SourceError

if TYPE_CHECKING:
    from emqtop.cli.watcher import Watcher


def record(argv: list[str]) -> int:
    """Append snapshots to a file until the time is over or the user ends it; a lost server is a gap, no end."""
    made = parser("record", "Append a snapshot of all queues to FILE each second, until Ctrl-C.")
    made.add_argument("--every", type=seconds, default=1.0, metavar="T", help="time between two snapshots (1s)")
    made.add_argument("--seconds", type=seconds, metavar="N", help="end after this time")
    read = parse(made, argv)
    (name,) = words(read, "FILE")
    # It brings redis-py along, which a replay does without.
    from emqtop.cli.watcher import Watcher

    watcher = Watcher(settings(read))
    try:
        with _open(Path(name)) as file:
            tape = _Tape(watcher, file, Recorder(header=file.tell() == 0))
            with suppress(KeyboardInterrupt):
                tape.run(read.every, math.inf if read.seconds is None else read.seconds)
    except OSError as error:
        complain(f"{name}: {error.strerror or error}")
        return Exit.FINDINGS
    finally:
        watcher.close()
    if read.json:
        document({"file": safe(name), "snapshots": tape.snapshots, "gaps": tape.gaps})
    else:
        line(f"{safe(name)}: {tape.snapshots} snapshots" + (f", {tape.gaps} gaps" if tape.gaps else ""))
    return Exit.UNREACHABLE if watcher.lost else Exit.DONE


def _open(path: Path) -> BinaryIO:
    """The file to append to, at its end; a line that a killed recording left unfinished is closed.

    Raises:
        UsageError: it is there and no recording.
        OSError: it cannot be written.
    """
    file = path.open("a+b")
    try:
        if file.tell():
            file.seek(0)
            Recording.check(file.readline(1_000).decode("utf-8", "replace"))
            file.seek(-1, 2)
            file.write(b"" if file.read(1) == b"\n" else b"\n")
    except BadRecording as error:
        file.close()
        raise UsageError(f"{path}: {error}; nothing was written to it") from None
    return file


class _Tape:
    """A recording in the making.

    Attributes:
        snapshots, gaps: how many were written.
    """

    def __init__(self, watcher: "Watcher", file: BinaryIO, recorder: Recorder) -> None:
        self.snapshots = self.gaps = 0
        self._watcher, self._file, self._recorder = watcher, file, recorder
        self._at_ms, self._at_s = time.time_ns() // 1_000_000, time.monotonic()

    def run(self, every_s: float, seconds: float) -> None:
        end = time.monotonic() + seconds
        while True:
            began = time.monotonic()
            self._step()
            if began >= end:
                return
            self._watcher.rest(max(0.0, min(began + every_s, end) - time.monotonic()))

    def _step(self) -> None:
        snapshot = self._watcher.look_on()
        if isinstance(snapshot, SourceError):
            self.gaps += 1
            # On the server's clock as far as it is known, since the recording is played by it.
            self._write(self._recorder.gap(self._at_ms + int(1_000 * (time.monotonic() - self._at_s)), str(snapshot)))
            return
        self.snapshots += 1
        self._at_ms, self._at_s = snapshot.at_ms, time.monotonic()
        self._write(self._recorder.lines(snapshot))

    def _write(self, lines: list[str]) -> None:
        """Whole lines in one write, so that a kill cuts at most the last."""
        self._file.write("".join(f"{each}\n" for each in lines).encode())
        self._file.flush()


def replay(argv: list[str]) -> int:
    """Play a recording in the dashboard, or print one moment of it."""
    made = parser("replay", "A recording in the dashboard; --json prints its last moment as ls does.")
    made.add_argument("--at", metavar="TIME", help="begin there: 5m from its begin, or a time such as 2026-11-29T15:00")
    made.add_argument("--speed", type=above_zero(10_000), default=1.0, metavar="X", help="so many times faster")
    read = parse(made, argv)
    (name,) = words(read, "FILE")
    chosen = settings(read)
    recording = _read(name)
    times = recording.times_ms
    at_ms = None if read.at is None else _moment(read.at, times[0], chosen.utc)
    if at_ms is not None and not times[0] <= at_ms <= times[-1] + 999:
        raise UsageError(f"--at: the recording runs from {iso(times[0], chosen.utc)} to {iso(times[-1], chosen.utc)}")
    from emqtop.cli.dashboard import fits_a_screen

    if not read.json and fits_a_screen():
        return _play(chosen, recording, at_ms, read.speed)
    return _print(recording, times[-1] if at_ms is None else at_ms, as_json=read.json)


def _read(name: str) -> Recording:
    from emqtop.sampling.replay import open_recording

    try:
        recording = open_recording(Path(name))
    except BadRecording as error:
        raise UsageError(f"{name}: {error}") from None
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or error}") from None
    if recording.damaged:
        complain(f"{name}: {recording.damaged} lines cannot be read")
    return recording


def _play(chosen: Settings, recording: Recording, at_ms: int | None, speed: float) -> int:
    from emqtop.cli.dashboard import run
    from emqtop.sampling.replay import Replay

    source = Replay(recording, speed)
    if at_ms is not None:
        source.seek(at_ms)
    return run(chosen, source)


def _print(recording: Recording, at_ms: int, *, as_json: bool) -> int:
    from emqtop.cli.ls import show

    number = max(at for at, taken in enumerate(recording.times_ms) if taken <= at_ms or at == 0)
    if words := recording.lost(number):
        complain(f"there was no answer then: {words}")
    show(recording.snapshot(number), as_json=as_json)
    return Exit.UNREACHABLE if recording.lost(number) else Exit.DONE


def _moment(text: str, begin_ms: int, utc: bool) -> int:
    """Unix ms of a duration from the begin or of a time, of the user's zone where it names none."""
    with suppress(BadDuration):
        return begin_ms + parse_duration(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--at: {text!r} is no duration and no time; wanted 5m or 2026-11-29T15:00") from None
    if moment.tzinfo is None and utc:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1_000)
