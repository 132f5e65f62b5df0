"""What an app of ours looks like: themes, the mark of the server, the gates, and how it ends after a crash."""

from collections.abc import Mapping, Sequence

from rich.console import RenderableType
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.filter import LineFilter
from textual.screen import Screen

from emqtop.settings import ServerLabel
from emqtop.text import safe
from emqtop.ui.gate import Gate, Plain
from emqtop.ui.screens.live import LiveScreen
from emqtop.ui.themes import Look, Palette, server_style
from emqtop.ui.written import Bytes, Written

NO_MARK = ServerLabel("")
"""A server that the user did not mark."""


class Dressed(App[int]):
    """An app with themes of ours, whose lines pass the gates, and which ends with a short report.

    Attributes:
        palette: what each tone looks like right now.
        mark: how the user wants the server to be marked.
        crash: the error that ended it, if one did.
        written: what the terminal shows.
    """

    def dress(self, looks: Mapping[str, Look], theme: str, *, ascii: bool) -> None:  # noqa: A002
        """Put the first theme on, before anything is drawn.

        Args:
            looks: the themes, by name.
            theme: the one to begin with.
            ascii: draw no lines and blocks.
        """
        self.looks: dict[str, Look] = {}
        self.palette = Palette()
        self.mark = NO_MARK
        self.crash: BaseException | None = None
        self.written = Written()
        self._owed = True
        self._begun = False
        self._gates: tuple[LineFilter, ...] = (*((Plain(),) if ascii else ()), Gate())
        self.take_looks(looks)
        self.wear(theme)

    def take_looks(self, looks: Mapping[str, Look]) -> None:
        """Have these themes; one that is worn already is put on anew."""
        self.looks = dict(looks)
        for look in looks.values():
            self.register_theme(look.theme())

    @property
    def worn(self) -> str:
        """Name of the theme."""
        return self.theme.removeprefix("emqtop-")

    def wear(self, name: str) -> None:
        """Change the theme, or draw it anew."""
        look = self.looks[name]
        self.palette = Palette(look, server_style(self.mark.colour))
        if self.theme == look.theme().name:
            self.refresh_css(animate=False)
        self.theme = look.theme().name

    def set_mark(self, mark: ServerLabel) -> None:
        """Mark the server otherwise."""
        if mark != self.mark:
            self.mark = mark
            self.wear(self.worn)

    def action_theme(self) -> None:
        """The next theme."""
        names = list(self.looks)
        self.wear(names[(names.index(self.worn) + 1) % len(names)])
        if isinstance(self.screen, LiveScreen):
            self.screen.hint(f"theme {safe(self.looks[self.worn].label)}", "plain")

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The gates stand last."""
        return [*super().get_line_filters(), *self._gates]

    def redraw(self) -> None:
        """Send every cell again: the terminal was cleared, or somebody else wrote on it."""
        self.written.forget()
        self._owed = True
        self.refresh(layout=True)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Send what differs from what the terminal shows, and everything where that is not known."""
        if self._batch_count and renderable is not None:
            # Textual takes for drawn what comes while a batch holds it back, and never comes back to it.
            self._owed = True
            self.call_later(self.refresh)
        elif renderable is not None and self._owed:
            self._owed = False
            renderable = screen._compositor.render_update(full=True, screen_stack=self._background_screens)
        if isinstance(renderable, LayoutUpdate | ChopsUpdate) and not (self.is_headless or self._batch_count):
            change = self.written.change(renderable, self.console._color_system)
            renderable = None if change is None else Bytes(change)  # type: ignore[assignment]
        super()._display(screen, renderable)
        if not (self._begun or self._owed):
            self._begun = True
            self.call_later(self.begin)

    def begin(self) -> None:
        """Called once, after the first frame: what need not be there for it begins now."""

    def _fatal_error(self) -> None:
        """Keep the error for a short report; Textual's own prints every local variable, passwords too."""
        self.crash = self.crash or self._exception
        self._close_messages_no_wait()
