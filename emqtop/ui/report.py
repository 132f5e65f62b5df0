"""The short report that an unexpected error leaves: where and what, never the values of variables."""

import traceback
from collections.abc import Iterator

from textual.worker import WorkerFailed

from emqtop.text import safe

FRAMES = 6
"""Innermost calls that are named."""


def report(error: BaseException) -> str:
    """An error in a few lines of safe text, without local variables: those may hold passwords and payloads."""
    return "\n".join(_lines(error))


def _lines(error: BaseException) -> Iterator[str]:
    if isinstance(error, WorkerFailed):
        error = error.error
    yield f"emqtop ended by an error it did not expect: {type(error).__name__}: {safe(str(error))[:400]}"
    frames = traceback.extract_tb(error.__traceback__)
    for frame in frames[-FRAMES:]:
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
    if error.__cause__ is not None:
        yield f"  because of {type(error.__cause__).__name__}: {safe(str(error.__cause__))[:400]}"
