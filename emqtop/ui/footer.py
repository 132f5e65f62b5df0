"""Which keys the footer names where it has no room for all."""

from collections.abc import Sequence


def kept(offers: Sequence[tuple[int, int]], room: int) -> frozenset[int]:
    """The places of those that stay: what is worth most first, of equals the first.

    Args:
        offers: of each key what it is worth, and the cells that it takes.
        room: cells there are.
    """
    stay: set[int] = set()
    for place in sorted(range(len(offers)), key=lambda place: -offers[place][0]):
        cells = offers[place][1]
        if cells <= room:
            stay.add(place)
            room -= cells
    return frozenset(stay)
