"""Themes: one TOML file each, all with the same keys; good ones are kept, bad ones named."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.errors import StyleSyntaxError
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.theme import BUILTIN_THEMES, Theme
from textual.widget import Widget

from emqtop.resources import folder

COLOURS = ("background", "surface", "panel", "foreground", "primary", "accent", "success", "warning", "error")
"""Keys of `[colours]`, what boxes and inputs are painted with."""

TONES = (
    *("plain", "dim", "strong", "good", "warn", "bad", "accent", "heading", "sorted"),
    *("bar", "key", "cursor", "cursor-idle", "mark", "trend", "alarm"),
)
"""Keys of `[tones]`, styles of text."""


class BadTheme(Exception):
    """A theme file cannot be used."""


@dataclass(frozen=True)
class Look:
    """One theme, parsed."""

    name: str
    """Name of its file."""
    label: str
    """What the palette calls it."""
    dark: bool
    """Is its background dark?"""
    native: bool
    """Does it use the terminal's own 16 colours, unconverted?"""
    colours: Mapping[str, str]
    """Value of every key of `COLOURS`."""
    tones: Mapping[str, Style]
    """Value of every key of `TONES`."""

    def theme(self) -> Theme:
        """The form that Textual takes."""
        theme = Theme(name=f"emqtop-{self.name}", primary=self.colours["primary"], dark=self.dark, ansi=self.native)
        for colour, value in self.colours.items():
            setattr(theme, colour, value)
        if self.native:
            # Names that Textual's own style sheet asks for in a theme of this kind.
            theme.variables = dict(BUILTIN_THEMES["ansi-dark"].variables)
        return theme


def parse_look(name: str, text: str) -> Look:
    """Read a theme.

    Raises:
        BadTheme: no TOML, a key missing or unknown, or a value that is no colour or style; says which.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadTheme(f"{name}: {error}") from error
    _same_keys(name, "theme", table, ("label", "dark", "native", "colours", "tones"))
    _same_keys(name, "colours", table["colours"], COLOURS)
    _same_keys(name, "tones", table["tones"], TONES)
    try:
        for colour in table["colours"].values():
            Color.parse(colour)
        tones = {tone: Style.parse(style) for tone, style in table["tones"].items()}
    except (ColorParseError, StyleSyntaxError, TypeError, AttributeError) as error:
        raise BadTheme(f"{name}: {error}") from error
    return Look(name, str(table["label"]), bool(table["dark"]), bool(table["native"]), table["colours"], tones)


def _same_keys(name: str, section: str, table: object, keys: Iterable[str]) -> None:
    if not isinstance(table, dict):
        raise BadTheme(f"{name}: {section} is no table")
    missing, unknown = set(keys) - set(table), set(table) - set(keys)
    if missing or unknown:
        words = [f"{section} lacks {key}" for key in sorted(missing)] + [
            f"{section} has {key}" for key in sorted(unknown)
        ]
        raise BadTheme(f"{name}: {', '.join(words)}")


def load_looks(*folders: Path) -> tuple[dict[str, Look], tuple[str, ...]]:
    """All themes of some folders, a later folder's before an earlier one's of the same name.

    Returns:
        The good ones by name, and one line on each bad one.
    """
    looks: dict[str, Look] = {}
    complaints: list[str] = []
    for path in (path for place in folders for path in sorted(place.glob("*.toml"))):
        try:
            looks[path.stem] = parse_look(path.stem, path.read_text("utf-8"))
        except (BadTheme, OSError, UnicodeDecodeError) as error:
            complaints.append(str(error))
    return looks, tuple(complaints)


def choose(looks: Mapping[str, Look], wanted: str) -> str:
    """The theme of this name.

    Raises:
        BadTheme: there is no such theme; names those that there are.
    """
    if wanted not in looks:
        raise BadTheme(f"no theme {wanted!r}; there are {', '.join(sorted(looks))}")
    return wanted


def shipped() -> Path:
    """The folder of the themes that come with emqtop."""
    return folder("themes")


def server_style(colour: str | None) -> Style | None:
    """A mark in a colour of the user's own, with letters that can be read on it; None where it is no colour."""
    if colour is None:
        return None
    try:
        ground = Color.parse(colour)
    except ColorParseError:
        return None
    return Style(bold=True, color=ground.get_contrast_text(1).rich_color, bgcolor=ground.rich_color)


class Palette:
    """What each tone looks like right now; widgets ask it when they draw.

    A tone that a theme does not know is drawn plain.

    Args:
        look: the theme.
        server: how the mark of the server is drawn; None: as an alarm.
    """

    def __init__(self, look: Look | None = None, server: Style | None = None) -> None:
        self._bare = dict(look.tones) if look is not None else {}
        self._bare["server"] = server or self._bare.get("alarm", Style.null())
        ground = Style.null() if look is None or look.native else Style(bgcolor=look.colours["background"])
        # A widget that draws its own lines gets no background from Textual: on a light terminal a dark theme would
        # be light grey on white.
        self._grounded = {tone: ground + style for tone, style in self._bare.items()}

    def __getitem__(self, tone: str) -> Style:
        """A tone on the theme's background."""
        style = self._grounded.get(tone)
        return style if style is not None else self._grounded.get("plain", Style.null())

    def bare(self, tone: str) -> Style:
        """A tone for whatever background it is put on."""
        style = self._bare.get(tone)
        return style if style is not None else self._bare.get("plain", Style.null())


_BLANK = Palette()


def palette_of(widget: Widget) -> Palette:
    """The palette of the app a widget lives in; outside of the dashboard a colourless one."""
    palette = getattr(widget.app, "palette", _BLANK)
    return palette if isinstance(palette, Palette) else _BLANK
