"""JSON documents, one a line, in files that only the user may read; what is damaged is passed over."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def packed(documents: Iterable[dict[str, Any]]) -> bytes:
    """The lines in ASCII, each with its end."""
    return b"".join(json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in documents)


def append(path: Path, lines: bytes, *, to_disk: bool) -> None:
    """Write lines to the end of a file, made with mode 0600; behind a line that was cut off a new one is begun.

    Args:
        path: the file.
        lines: as `packed` made them.
        to_disk: wait for the disk.

    Raises:
        OSError: they cannot be written.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "a+b") as file:
        if file.tell() and os.pread(handle, 1, file.tell() - 1) != b"\n":
            file.write(b"\n")
        file.write(lines)
        file.flush()
        if to_disk:
            os.fsync(handle)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The documents of a file in order; none where it cannot be read."""
    try:
        text = path.read_text("utf-8", "surrogateescape")
    except OSError:
        return
    for line in text.splitlines():
        try:
            document = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(document, dict):
            yield document
