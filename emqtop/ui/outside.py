"""Leaving the terminal to another program for a while: the pager, the editor."""

import asyncio
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from textual.app import App, SuspendNotSupported

from emqtop.text import safe


class NoProgram(Exception):
    """The program cannot be started; the words say why."""


def pager(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The command of $PAGER, else less."""
    return shlex.split(environ.get("PAGER") or "less")


def editor(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The command of $VISUAL or $EDITOR, else vi."""
    return shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or "vi")


async def show_in(app: App[int], command: list[str], data: bytes, name: str) -> None:
    """Give a program a copy of some bytes to show, and the terminal; comes back when it has ended.

    The copy lies in a folder of its own that only this user can enter, and goes with it.

    Args:
        app: whose terminal it is.
        command: program and arguments; the file comes behind them.
        data: the bytes.
        name: name of the file.

    Raises:
        NoProgram: it cannot be started, or the terminal cannot be given away.
    """
    with tempfile.TemporaryDirectory(prefix="emqtop-") as folder:
        path = Path(folder) / name
        await asyncio.to_thread(path.write_bytes, data)
        # A repaint while the terminal is away would never come back: none is begun until the end.
        with app.batch_update():
            before = signal.signal(signal.SIGINT, lambda *_: None)
            try:
                with app.suspend():
                    failure = await _run([*command, str(path)])
            except SuspendNotSupported:
                raise NoProgram("this terminal cannot be given to another program") from None
            finally:
                signal.signal(signal.SIGINT, before)
        if failure is not None:
            raise NoProgram(f"{safe(shlex.join(command))}: {safe(str(failure))}")


async def _run(command: list[str]) -> OSError | None:
    """Why it could not be started; told and not raised, since an error would leave the terminal given away."""
    try:
        await asyncio.to_thread(subprocess.run, command, check=False)
    except OSError as error:
        return error
    return None
