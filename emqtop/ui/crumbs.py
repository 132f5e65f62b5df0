"""The way from the outermost place to here."""

from collections.abc import Iterator

from emqtop.text import cells
from emqtop.ui.widgets.line import Part

BETWEEN = " › "


def path_parts(crumbs: tuple[str, ...], width: int) -> Iterator[Part]:
    """The crumbs, outermost first; the outer ones are left out where `width` cells do not hold all."""
    while len(crumbs) > 1 and cells(BETWEEN.join(crumbs)) > width:
        crumbs = crumbs[1:]
    for place, crumb in enumerate(crumbs):
        if place:
            yield Part(BETWEEN, "bar")
        yield Part(crumb, "bar" if place else "key")
