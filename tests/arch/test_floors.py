"""The floors of the tree: what a file may import, and what really gets loaded."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_import_contracts() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


HEAVY = ("textual", "rich", "redis", "bullmq", "watchfiles", "asyncio")


@pytest.mark.parametrize(
    ("module", "allowed"),
    [
        ("emqtop", ()),
        ("emqtop.text", ()),
        ("emqtop.units", ()),
        ("emqtop.settings", ()),
        ("emqtop.resources", ()),
        ("emqtop.model.snapshot", ()),
        ("emqtop.model.actions", ()),
        ("emqtop.wire.bare", ()),
        ("emqtop.wire.scripts", ()),
        ("emqtop.meaning.jobs", ()),
        ("emqtop.present.jsonout", ()),
    ],
)
def test_what_a_floor_loads(module: str, allowed: tuple[str, ...]) -> None:
    code = f"import {module}, sys; print(*sorted(set(sys.modules) & set({HEAVY!r})))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= set(allowed)
