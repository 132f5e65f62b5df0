"""One real BullMQ, driven from a test: the PyPI package or an npm release, in a process of its own."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
WAIT_S = 20.0


class Rig:
    """A process with producers and workers of one release.

    Args:
        command: what to run; it takes operations as JSON lines and answers each by one.
        folder: where to run it.
    """

    def __init__(self, command: list[str], folder: Path = HERE) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder)

    def call(self, op: str, **args: Any) -> Any:
        """Run one operation to its end and return what it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"op": op, **args}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]

    def kill(self) -> None:
        """End it as the kernel does when memory is short: no lock is given back."""
        self._process.kill()
        self._process.communicate()


RELEASES = ("pypi", "npm 5.81.5", "npm 6.7.0")
"""What every test of this folder runs against."""


def open_rig(release: str, url: str) -> Rig:
    """A process with that release; skips where it cannot be had."""
    if release == "pypi":
        return Rig([sys.executable, "rig_pypi.py", url])
    modules = node_modules()
    module = "bullmq5" if release == "npm 5.81.5" else "bullmq6"
    return Rig(["node", "rig.mjs", module, url.removeprefix("unix://")], modules)


def until(condition: Callable[[], Any], what: str = "") -> Any:
    """Wait until it holds; fails after a while."""
    deadline = time.monotonic() + WAIT_S
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {WAIT_S} s {what}"
        time.sleep(0.02)
    return value


def node_modules() -> Path:
    """The folder with the npm releases, installed once per machine; skips where that is not possible."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    wanted = (HERE / "package.json").read_bytes() + (HERE / "rig.mjs").read_bytes()
    home = Path(tempfile.gettempdir()) / f"emqtop-interop-{os.getuid()}-{hashlib.sha1(wanted).hexdigest()[:12]}"
    if not home.exists():
        with tempfile.TemporaryDirectory(dir=home.parent, prefix="emqtop-npm-") as folder:
            _install(Path(folder))
            made = Path(folder) / "made"
            try:
                made.rename(home)
            except OSError:
                assert home.exists()
    return home


def _install(folder: Path) -> None:
    made = folder / "made"
    made.mkdir()
    for name in ("package.json", "rig.mjs"):
        shutil.copy(HERE / name, made / name)
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
    done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False, timeout=100)
    if done.returncode != 0:
        pytest.skip(f"npm could not install BullMQ: {done.stderr.strip().splitlines()[-1:]}")
