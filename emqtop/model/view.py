"""Where the user is: one frozen object, and every key a pure step from one to the next.

Rows are known by their ids, never by their place. The chosen row keeps the choice while others come and go; when it
leaves, nothing is chosen until the user moves, so that no act meets its neighbour (operator law 2).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from emqtop.model.queue import Location, QueueId


class Screen(StrEnum):
    """What is looked at."""

    OVERVIEW = "overview"
    QUEUE = "queue"
    JOB = "job"


@dataclass(frozen=True, slots=True)
class View:
    """One place with all that the user set there."""

    screen: Screen = Screen.OVERVIEW
    """What is looked at."""
    queue: QueueId | None = None
    """The queue of the queue and the job screen."""
    location: Location = Location.PENDING
    """Which of its jobs are listed."""
    lane: str | None = None
    """Only the jobs of this lane; None: of all."""
    job: str | None = None
    """Id of the job on the job screen."""
    chosen: str | None = None
    """Id of the row under the cursor; None: no row."""
    place: int = 0
    """Where in the list the cursor stands, or stood when its row left; 0 the first row."""
    marks: frozenset[str] = frozenset()
    """Ids of the marked rows; those that left are kept, since the server decides about each id."""
    sort: str | None = None
    """Key of the column that orders the rows; None: as they are served."""
    turned: bool = False
    """Is that order turned around?"""
    filter: str = ""
    """The filter line, in the language of `emqtop.model.where`."""
    paused: bool = False
    """Does the table hold still?"""
    cursors: tuple[str, ...] = ()
    """Cursors of the pages that were turned, the last of the page in view; empty: the first page."""
    outer: "View | None" = None
    """Where `back` leads."""

    @property
    def after(self) -> str | None:
        """Cursor of the page in view; None: the first page."""
        return self.cursors[-1] if self.cursors else None

    def open_queue(self, queue: QueueId) -> Self:
        """Go into a queue."""
        return replace(self._inner(), screen=Screen.QUEUE, queue=queue)

    def open_job(self, job: str) -> Self:
        """Go to one job of the queue."""
        return replace(self._inner(), screen=Screen.JOB, queue=self.queue, location=self.location, job=job)

    def back(self) -> "View":
        """Go where this was opened from, everything there as it was left; the outermost stays."""
        return self if self.outer is None else self.outer

    def show(self, location: Location, lane: str | None = None) -> Self:
        """List another location of the queue, or one lane of it; marks and filter were for the old list."""
        if (location, lane) == (self.location, self.lane):
            return self
        fresh = replace(self, location=location, lane=lane, marks=frozenset(), filter="", sort=None, turned=False)
        return fresh._first_row()

    def choose(self, row: str, rows: Sequence[str]) -> Self:
        """Put the cursor on a row; one that is not in the list is not chosen."""
        return replace(self, chosen=row, place=rows.index(row)) if row in rows else self

    def move(self, step: int, rows: Sequence[str]) -> Self:
        """Move the cursor by rows, up to the ends of the list."""
        if not rows:
            return replace(self, chosen=None, place=0)
        place = max(0, min(len(rows) - 1, self._place_in(rows) + step))
        return replace(self, chosen=rows[place], place=place)

    def refresh(self, rows: Sequence[str]) -> Self:
        """Take a newer list: the cursor goes where its row went, and rests on nothing where that left."""
        if self.chosen is None or self.chosen not in rows:
            return replace(self, chosen=None)
        return replace(self, place=rows.index(self.chosen))

    def mark(self, rows: Iterable[str]) -> Self:
        """Mark rows; where all of them are marked already, unmark them."""
        wanted = frozenset(rows)
        return replace(self, marks=self.marks - wanted if wanted <= self.marks else self.marks | wanted)

    def mark_until(self, row: str, rows: Sequence[str]) -> Self:
        """Mark from the chosen row to another, both included."""
        if self.chosen not in rows or row not in rows:
            return self
        begin, end = sorted((rows.index(self.chosen), rows.index(row)))
        return replace(self, marks=self.marks | frozenset(rows[begin : end + 1]))

    def unmark(self) -> Self:
        """Forget all marks."""
        return replace(self, marks=frozenset())

    def order_by(self, column: str) -> Self:
        """Order by a column, the other way round when it is the order already."""
        turned = not self.turned if column == self.sort else False
        return replace(self, sort=column, turned=turned)

    def narrow(self, text: str) -> Self:
        """Set the filter line; the pages turned so far were of another list."""
        return self if text == self.filter else replace(self, filter=text)._first_row()

    def toggle_pause(self) -> Self:
        """Hold the table still, or let it go on."""
        return replace(self, paused=not self.paused)

    def next_page(self, cursor: str | None) -> Self:
        """Turn to the page behind this one; there is none where its cursor is None."""
        return self if cursor is None else replace(self, cursors=(*self.cursors, cursor))._top()

    def previous_page(self) -> Self:
        """Turn back one page."""
        return replace(self, cursors=self.cursors[:-1])._top() if self.cursors else self

    def _inner(self) -> Self:
        return type(self)(outer=self, paused=self.paused)

    def _first_row(self) -> Self:
        return replace(self, cursors=())._top()

    def _top(self) -> Self:
        return replace(self, chosen=None, place=0)

    def _place_in(self, rows: Sequence[str]) -> int:
        return rows.index(self.chosen) if self.chosen in rows else self.place
