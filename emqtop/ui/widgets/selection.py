"""Where the user is in a list: cursor, marks and scroll, kept by the key of a row and never by its place."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Selection(Generic[Item]):
    """The cursor of a list that changes under it.

    Until the user moves it the cursor rests on the first row, whichever that is. Then it belongs to a row: it goes
    where that row goes, and when the row leaves the list the cursor points at nothing until it is moved again, so
    that no act meets a neighbour.

    Lines are the rows and the headings between them; the cursor knows rows alone.

    Attributes:
        items: the rows.
        index: place of the cursor; of a row that has left, where it was.
        key: the row it belongs to.
        top: the first line in view.
        marks: the marked rows by their keys, in the order they were marked, each as it was last seen; one that left
            the list is kept.
    """

    def __init__(self, key: Callable[[Item], Hashable]) -> None:
        self.items: Sequence[Item] = ()
        self.index = 0
        self.key: Hashable | None = None
        self.top = 0
        self.marks: dict[Hashable, Item] = {}
        self._breaks: tuple[int, ...] = ()
        self._of = key
        self._chosen = False
        self._anchor: Hashable | None = None

    @property
    def current(self) -> Item | None:
        """The row of the cursor; None where it has left."""
        if self.key is None or self.index >= len(self.items):
            return None
        item = self.items[self.index]
        return item if self._of(item) == self.key else None

    def expect(self, key: Hashable) -> None:
        """Have the cursor belong to a row that has yet to come."""
        self.key, self._chosen = key, True

    @property
    def lost(self) -> bool:
        """Has the chosen row left the list?"""
        return self.key is not None and self.current is None

    @property
    def lines(self) -> int:
        """How many lines the list has."""
        return len(self.items) + len(self._breaks)

    def line_of(self, index: int) -> int:
        """The line of a row."""
        return index + bisect_right(self._breaks, index)

    def row_at(self, line: int) -> tuple[int | None, int]:
        """The place of the row on a line, None where a heading stands; and how many headings stand above it."""
        above = bisect_left(range(len(self._breaks)), line, key=lambda number: self._breaks[number] + number)
        heading = above < len(self._breaks) and self._breaks[above] + above == line
        return (None if heading else line - above), above

    def in_view(self, height: int) -> Sequence[Item]:
        """The rows of the lines in view."""
        first, last = (line - self.row_at(line)[1] for line in (self.top, self.top + height))
        return self.items[first:last]

    def part(self, breaks: Sequence[int], height: int) -> None:
        """Have headings above the rows of these places, which rise."""
        line = self.line_of(self.index) - self.top
        self._breaks = tuple(breaks)
        self._follow(line, height)

    def _follow(self, line: int, height: int) -> None:
        """Keep the cursor's row on its line of the screen, if it has been there."""
        if self._chosen and 0 <= line < height:
            self.top = self.line_of(self.index) - line
        self._bound(height)

    def replace(self, items: Sequence[Item], height: int, breaks: Sequence[int] = ()) -> None:
        """Take a newer list; the cursor's row stays on its line of the screen where it can.

        Args:
            items: the rows.
            height: lines of the window.
            breaks: places of the rows that have a heading above them, rising.
        """
        line = self.line_of(self.index) - self.top
        self.items, self._breaks = items, tuple(breaks)
        if self.marks:
            self.marks.update((key, item) for item in items if (key := self._of(item)) in self.marks)
        if not self._chosen:
            self.index = 0
            self.key = self._of(items[0]) if items else None
        elif (place := self._place(self.key)) is not None:
            self.index = place
            self._follow(line, height)
        self._bound(height)

    def _place(self, key: Hashable | None) -> int | None:
        if self.index < len(self.items) and self._of(self.items[self.index]) == key:
            return self.index
        return next((place for place, item in enumerate(self.items) if self._of(item) == key), None)

    def move(self, rows: int, height: int) -> bool:
        """Move the cursor by rows; says whether it stands on another row than before."""
        return self._settle(self.index + rows, height)

    def to_end(self, last: bool, height: int) -> bool:
        """Move the cursor to the first or the last row."""
        return self._settle(len(self.items) - 1 if last else 0, height)

    def go_to(self, key: Hashable, height: int) -> bool:
        """Put the cursor on a row; nothing happens where it is not in the list."""
        place = self._place(key)
        return place is not None and self._settle(place, height)

    def _settle(self, index: int, height: int) -> bool:
        before = self.key
        self._chosen = True
        self.index = max(0, min(index, len(self.items) - 1))
        self.key = self._of(self.items[self.index]) if self.items else None
        self.keep_in_view(height)
        return self.key != before

    def scroll(self, rows: int, height: int) -> None:
        """Move the view, not the cursor."""
        self.top += rows
        self._bound(height)

    def keep_in_view(self, height: int) -> None:
        """Scroll as far as it takes to see the cursor."""
        line = self.line_of(self.index)
        if line <= self.top:
            # With the heading of the row, if it has one.
            self.top = line - (self.index in self._breaks)
        elif line >= self.top + height:
            self.top = line - height + 1
        self._bound(height)

    def _bound(self, height: int) -> None:
        self.top = max(0, min(self.top, self.lines - height))

    def toggle(self) -> None:
        """Mark the row of the cursor, or take its mark away."""
        item = self.current
        if item is None or self.key is None:
            return
        self._anchor = self.key
        if self.marks.pop(self.key, None) is None:
            self.marks[self.key] = item

    def mark_range(self) -> None:
        """Mark every row from the one last marked to the cursor; without one, the cursor's row."""
        start = self._place(self._anchor) if self._anchor is not None else None
        first, last = sorted((self.index if start is None else start, self.index))
        for item in self.items[first : last + 1]:
            self.marks[self._of(item)] = item

    def mark_all(self) -> None:
        """Mark every row."""
        for item in self.items:
            self.marks[self._of(item)] = item

    def reset(self, *, keep_marks: bool = False) -> None:
        """Begin anew, for another list, or for another page of the same one."""
        self.items, self._breaks = (), ()
        self.index = self.top = 0
        self.key = self._anchor = None
        if not keep_marks:
            self.marks.clear()
        self._chosen = False
