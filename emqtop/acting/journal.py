"""What an act takes, written down before it is taken, so that it can be put back.

One file an act, `journal/<entry>.jsonl` beside the audit file: a line a job, and after each batch a line with the ids
that moved. Jobs without such a line were under way when emqtop ended.
"""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

MOST_BYTES = 512 << 20
"""All journals together; the oldest go first."""


class Journal:
    """The journal of one act.

    Args:
        folder: the folder of the audit file; the journal's own is made in it with mode 0700.
        entry: name of the audit entry.
    """

    def __init__(self, folder: Path, entry: str) -> None:
        self._path = folder / "journal" / f"{Path(entry).name}.jsonl"

    @property
    def exists(self) -> bool:
        """Was anything written down?"""
        return self._path.exists()

    def keep(self, records: Sequence[dict[str, Any]], *, to_disk: bool = True) -> None:
        """Write jobs down, before they are touched.

        Args:
            records: the jobs, each with its `id`.
            to_disk: wait for the disk, as for jobs that will be nowhere else.

        Raises:
            OSError: it cannot be written; the jobs should not be touched then.
        """
        if not self._path.parent.exists():
            self._path.parent.mkdir(mode=0o700, parents=True)
        if not self._path.exists():
            _make_room(self._path.parent)
        self._append([{"job": record} for record in records], to_disk=to_disk)

    def moved(self, ids: Sequence[str]) -> None:
        """Write down which of them moved.

        Raises:
            OSError: it cannot be written.
        """
        self._append([{"moved": list(ids)}])

    def records(self) -> list[dict[str, Any]]:
        """The jobs that moved, or whose fate was not written down, in the order of the act."""
        jobs: dict[str, dict[str, Any]] = {}
        open_ids: dict[str, None] = {}
        kept: dict[str, None] = {}
        for line in self._lines():
            if isinstance(line.get("job"), dict):
                jobs[line["job"]["id"]] = line["job"]
                open_ids[line["job"]["id"]] = None
            elif isinstance(line.get("moved"), list):
                kept.update(dict.fromkeys(line["moved"]))
                open_ids.clear()
        return [record for name, record in jobs.items() if name in kept or name in open_ids]

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            lines = self._path.read_text("utf-8").splitlines()
        except OSError:
            return
        for line in lines:
            try:
                read = json.loads(line)
            except ValueError:
                continue
            if isinstance(read, dict):
                yield read

    def _append(self, lines: Sequence[dict[str, Any]], *, to_disk: bool = False) -> None:
        raw = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            if to_disk:
                os.fsync(file.fileno())


def _make_room(folder: Path) -> None:
    files = sorted(folder.glob("*.jsonl"))
    total = sum(file.stat().st_size for file in files)
    for file in files:
        if total <= MOST_BYTES:
            return
        total -= file.stat().st_size
        file.unlink(missing_ok=True)
