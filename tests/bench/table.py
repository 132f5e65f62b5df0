"""What a bench prints: one line a figure, each beside the floor that was measured in the same run."""

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version


@dataclass(frozen=True, slots=True)
class Row:
    """One figure."""

    part: str
    """Name of the part that measured it."""
    what: str
    """What was measured."""
    ours: float
    """emqtop's figure."""
    unit: str
    """ms, B/s, %, …"""
    beside: str = ""
    """What it stands beside; empty: nothing."""
    floor: float | None = None
    """The figure of that, in the same unit."""
    budget: float | None = None
    """The most that `ours` may be, in the same unit; None: shown for information."""
    least: bool = False
    """Is the budget the least instead?"""
    why: str = ""
    """Why the floor stands where it stands, should the budget be missed."""

    @property
    def ratio(self) -> float | None:
        """Ours by the floor's."""
        return self.ours / self.floor if self.floor else None

    @property
    def verdict(self) -> str:
        """Is the budget met, and if not, by how much is it missed?"""
        if self.budget is None:
            return ""
        if self.ours >= self.budget if self.least else self.ours <= self.budget:
            return "met"
        return f"missed x{self.ours / self.budget:.2f}" if self.budget else "missed"


def against(part: str, what: str, ours: float, unit: str, floor: tuple[str, float], times: float, why: str = "") -> Row:
    """A figure that may be so many times its floor."""
    return Row(part, what, ours, unit, floor[0], floor[1], floor[1] * times, why=why)


def beside(part: str, what: str, ours: float, unit: str, floor: tuple[str, float]) -> Row:
    """A figure that stands beside another, without a budget of its own."""
    return Row(part, what, ours, unit, floor[0], floor[1])


HEAD = ("part", "what", "emqtop", "unit", "beside it", "", "ratio", "budget", "")
_LEFT = frozenset({0, 1, 3, 4, 8})


def render(rows: Sequence[Row]) -> str:
    """The table, as text."""
    lines = [HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) if at in _LEFT else cell.rjust(width) for at, (cell, width) in pairs).rstrip()
        for pairs in (list(enumerate(zip(line, widths, strict=True))) for line in lines)
    )


def header() -> str:
    """Where and under what load it was measured."""
    load = " ".join(f"{each:.2f}" for each in os.getloadavg())
    names = ("textual", "redis", "hiredis")
    parts = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in names)]
    return f"{os.cpu_count()} cores, load {load}, {', '.join(parts)}; ratios hold better than walls"


def misses(rows: Iterable[Row]) -> list[Row]:
    """The rows whose budget is not met."""
    return [row for row in rows if row.verdict.startswith("missed")]


def reasons(rows: Iterable[Row]) -> str:
    """Why budgets are missed, a line each; no line where nobody knows."""
    told = dict.fromkeys(f"{row.part}, {row.what.strip()}: {row.why}" for row in misses(rows) if row.why)
    return "".join(f"\n{line}" for line in told)


def _cells(row: Row) -> tuple[str, ...]:
    ratio = "" if row.ratio is None else f"{row.ratio:.3g}"
    floor = "" if row.floor is None else _number(row.floor)
    budget = "" if row.budget is None else ("≥ " if row.least else "≤ ") + _number(row.budget)
    return row.part, row.what, _number(row.ours), row.unit, row.beside, floor, ratio, budget, row.verdict


def _number(value: float) -> str:
    if value == int(value) and abs(value) < 1e9:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 20 else f"{value:.3g}"
