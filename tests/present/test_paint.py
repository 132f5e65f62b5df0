"""Styles of a theme as codes of a terminal."""

import pytest

from emqtop.present.paint import depth, paint


@pytest.mark.parametrize(
    ("colours", "styles", "wanted"),
    [
        (1 << 24, ("bold #ff8000 on #000102",), "0;1;38;2;255;128;0;48;2;0;1;2"),
        (256, ("#ff0000 on #000000",), "0;38;5;196;48;5;16"),
        (256, ("#5f87af",), "0;38;5;67"),
        (16, ("bold #ff0000",), "0;1"),
        (16, ("red on bright_blue",), "0;31;104"),
        (16, ("underline bright_white on black",), "0;4;97;40"),
        (0, ("reverse red on blue",), "0;7"),
        (16, ("red on blue", "green"), "0;32;44"),
        (16, ("bold red", "bold on blue", "cyan"), "0;1;36;44"),
        (16, ("ansi_white on ansi_bright_black red", "ansi_default on ansi_default"), "0;31;100"),
        (16, ("", "nonsense #12345"), "0"),
    ],
)
def test_styles(colours: int, styles: tuple[str, ...], wanted: str) -> None:
    assert paint(colours, *styles) == f"\x1b[{wanted}m"


@pytest.mark.parametrize(
    ("environ", "colours"),
    [
        ({"TERM": "xterm-256color"}, 256),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, 1 << 24),
        ({"TERM": "screen", "COLORTERM": "24bit"}, 1 << 24),
        ({"TERM": "linux"}, 16),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, 0),
        ({}, 16),
    ],
)
def test_how_many_colours(environ: dict[str, str], colours: int) -> None:
    assert depth(environ) == colours
