"""What an act takes, written down before it is taken, so that it can be put back.

One file an act, `journal/<entry>.jsonl` beside the audit file: a line a job, and after each batch a line with the ids
that moved. Jobs without such a line were under way when emqtop ended. An undo adds the ids of those that are back.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from emqtop.acting import json_lines

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

    def back(self, ids: Sequence[str]) -> None:
        """Write down which of them were brought back.

        Raises:
            OSError: it cannot be written.
        """
        self._append([{"back": list(ids)}])

    def records(self) -> list[dict[str, Any]]:
        """The jobs that moved, or whose fate was not written down, and are not back, in the order of the act."""
        jobs: dict[str, dict[str, Any]] = {}
        open_ids: dict[str, None] = {}
        kept: dict[str, None] = {}
        back: set[str] = set()
        for line in json_lines.read(self._path):
            if isinstance(line.get("job"), dict):
                jobs[line["job"]["id"]] = line["job"]
                open_ids[line["job"]["id"]] = None
            elif isinstance(line.get("moved"), list):
                kept.update(dict.fromkeys(line["moved"]))
                open_ids.clear()
            elif isinstance(line.get("back"), list):
                back.update(line["back"])
        return [record for name, record in jobs.items() if name not in back and (name in kept or name in open_ids)]

    def _append(self, lines: Sequence[dict[str, Any]], *, to_disk: bool = False) -> None:
        json_lines.append(self._path, json_lines.packed(lines), to_disk=to_disk)


def _make_room(folder: Path) -> None:
    files = sorted(folder.glob("*.jsonl"))
    total = sum(file.stat().st_size for file in files)
    for file in files:
        if total <= MOST_BYTES:
            return
        total -= file.stat().st_size
        file.unlink(missing_ok=True)
