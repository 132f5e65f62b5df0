"""The keys that scroll a text."""

from typing import TypeVar

from textual.screen import Screen

from emqtop.ui.widgets.paper import Paper

Result = TypeVar("Result")


class Scrolling(Screen[Result]):
    """A screen whose one text is scrolled by keys."""

    def action_scroll(self, rows: int) -> None:
        """Scroll by lines."""
        self.query_one(Paper).scroll_rows(rows)

    def action_scroll_page(self, pages: int) -> None:
        """Scroll by screens."""
        self.query_one(Paper).scroll_pages(pages)

    def action_scroll_to_end(self, last: bool) -> None:
        """Scroll to an end."""
        self.query_one(Paper).scroll_end_of(last)
