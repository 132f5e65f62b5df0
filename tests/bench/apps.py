"""Small Textual programs as floors: `minimal` shows one word, `table` changes ten cells of a DataTable each second."""

import random
import sys

from textual.app import App, ComposeResult
from textual.widgets import Static


class Minimal(App[None]):
    """The least that Textual can show."""

    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        """One word."""
        yield Static("READYMARK")


def table() -> App[None]:
    """Fifty rows by nine columns in Textual's own table."""
    from textual.widgets import DataTable

    class Table(App[None]):
        ENABLE_COMMAND_PALETTE = False

        def compose(self) -> ComposeResult:
            yield DataTable()

        def on_mount(self) -> None:
            shown = self.query_one(DataTable)
            columns = shown.add_columns(*(f"c{number:08d}" for number in range(9)))
            rows = [
                shown.add_row("READYMARK" if row == 0 else f"queue{row}", *("0" for _ in columns[1:]))
                for row in range(50)
            ]

            def tick() -> None:
                for row in random.sample(rows, 10):
                    shown.update_cell(row, random.choice(columns[1:]), str(random.randrange(9999)))

            self.set_interval(1, tick)

    return Table()


if __name__ == "__main__":
    (Minimal() if sys.argv[1] == "minimal" else table()).run()
