"""`python -m pytest tests/bench -s`: every part as a test of its own, and one table at the end.

On demand only: the suite leaves this folder out. No part fails on a time; one fails where it cannot be measured.
"""

from collections.abc import Iterator

import pytest

from tests.bench.parts import PARTS, run
from tests.bench.table import Row, header, reasons, render
from tests.bench.world import World


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """The servers that the parts share."""
    with World() as running:
        yield running


@pytest.fixture(scope="module")
def rows() -> Iterator[list[Row]]:
    """What was measured; printed at the end."""
    head = header()
    measured: list[Row] = []
    yield measured
    print(f"\n{head}\n\n{render(measured)}\n{reasons(measured)}\n\n{header()}")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", PARTS)
def test_part(name: str, world: World, rows: list[Row]) -> None:
    measured = run(name, world)
    assert measured
    rows += measured
