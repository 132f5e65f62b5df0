"""What was done from here: one begun and one ended line an act, in a file of the user (operator law 11)."""

import fcntl
import getpass
import os
import secrets
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from emqtop.acting import json_lines
from emqtop.acting.entry import Entry, entry_of, named_ids, order_options, result
from emqtop.model.actions import Order, Outcome

FULL_BYTES = 8 << 20
"""Size at which the file is put aside; the one before last goes."""


class Unrecorded(OSError):
    """What is done cannot be written down, so nothing further is done.

    Args:
        folder: where it should be written.
        error: why it cannot be.
        outcome: what had come of the act by then; None: nothing was sent.
    """

    def __init__(self, folder: Path, error: OSError, outcome: Outcome | None = None) -> None:
        why = f"{folder} cannot be written ({error.strerror or error})"
        if outcome is None or not (outcome.moved or outcome.deferred or outcome.skipped or outcome.unknown):
            super().__init__(f"{why}: nothing was sent")
        else:
            super().__init__(f"{why}: moved {outcome.moved} of {outcome.matched}, not all of it written down")
        self.outcome = outcome


def state_folder() -> Path:
    """Where emqtop keeps what it wrote: `$XDG_STATE_HOME/emqtop`, by default `~/.local/state/emqtop`."""
    home = os.environ.get("XDG_STATE_HOME", "")
    return (Path(home) if Path(home).is_absolute() else Path.home() / ".local" / "state") / "emqtop"


class Audit:
    """The file, safe to append to from several emqtops at once.

    Args:
        server: address without password, for the lines written here.
        folder: where the file lies; None: the user's state folder. Made when first written to, mode 0700.
    """

    def __init__(self, server: str, folder: Path | None = None) -> None:
        self._server = server
        self._folder = folder or state_folder()
        self._path = self._folder / "audit.jsonl"
        self._old = self._folder / "audit.1.jsonl"

    @property
    def server(self) -> str:
        """Address without password that its own lines carry."""
        return self._server

    @property
    def folder(self) -> Path:
        """Where it lies, the journal beside it."""
        return self._folder

    def begin(
        self,
        order: Order,
        ids: tuple[str, ...],
        *,
        count: int,
        selection: str = "",
        errors: dict[str, int] | None = None,
        undoable: bool = False,
        undoes: str | None = None,
    ) -> str:
        """Write that an act begins, down to the disk, and return the name of its entry.

        Raises:
            Unrecorded: it cannot be written; the act should not be done then.
        """
        now = datetime.now().astimezone()
        named, ends = named_ids(ids)
        name = f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
        queue = order.queue
        self._write(
            {
                "event": "begun",
                "id": name,
                "at": now.isoformat(timespec="milliseconds"),
                "who": f"{_user()}@{socket.gethostname()}",
                "pid": os.getpid(),
                "server": self._server,
                "verb": order.verb,
                "family": queue.family,
                "prefix": queue.prefix,
                "queue": queue.name,
                "ids": named,
                "ends": ends,
                "count": count,
                "selection": selection,
                "options": order_options(order),
                "errors": errors or {},
                "undoable": undoable,
                "undoes": undoes,
            }
        )
        return name

    def end(self, name: str, outcome: Outcome, moved: Sequence[str] = ()) -> None:
        """Write how it ended, and which jobs it moved.

        Raises:
            Unrecorded: it cannot be written.
        """
        at = datetime.now().astimezone().isoformat(timespec="milliseconds")
        self._write({"event": "ended", "id": name, "at": at, "result": result(outcome, moved)}, outcome)

    def entries(self) -> list[Entry]:
        """All acts that are kept, oldest first; lines that cannot be read are passed over."""
        begun: dict[str, dict[str, Any]] = {}
        ended: dict[str, dict[str, Any]] = {}
        for line in (*json_lines.read(self._old), *json_lines.read(self._path)):
            if isinstance(line.get("id"), str):
                (ended if line.get("event") == "ended" else begun)[line["id"]] = line
        found = (entry_of(line, ended.get(name)) for name, line in begun.items())
        return [entry for entry in found if entry is not None]

    def stamp(self) -> tuple[float, int]:
        """Changes whenever something was written: time and size of the file."""
        try:
            stat = self._path.stat()
        except OSError:
            return 0.0, 0
        return stat.st_mtime, stat.st_size

    def undone(self) -> frozenset[str]:
        """Entries that were taken back, but for jobs that had moved on by then."""
        through: set[str] = set()
        touched: set[str] = set()
        for entry in self.entries():
            if entry.undoes is None or entry.result is None:
                continue
            if entry.result["moved"] or entry.result["deferred"] or not entry.result["matched"]:
                touched.add(entry.undoes)
            if entry.is_through:
                through.add(entry.undoes)
        return frozenset(through & touched)

    def _write(self, line: dict[str, Any], outcome: Outcome | None = None) -> None:
        try:
            self._append(line)
        except OSError as error:
            raise Unrecorded(self._folder, error, outcome) from None

    def _append(self, line: dict[str, Any]) -> None:
        raw = json_lines.packed([line])
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._turn():
            if self._path.exists() and self._path.stat().st_size + len(raw) > FULL_BYTES:
                self._path.replace(self._old)
            json_lines.append(self._path, raw, to_disk=True)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Keeps another emqtop from turning the file over between the look and the write."""
        handle = os.open(self._folder / "audit.lock", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
