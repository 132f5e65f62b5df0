"""All jobs of a location that a filter fits, loaded or not."""

from functools import reduce
from operator import or_

from emqtop.model.filters import EVERY, Field, Filter, Op, Text

_SEARCHED = (Field.ID, Field.GROUP, Field.ERROR, Field.STATE, Field.ODD, Field.PAYLOAD)
"""What the filter of a list looks at."""


def where(wanted: str, lane: str | None = None) -> Filter:
    """The condition that a typed filter means: every word somewhere, none of those behind `!`; only in this lane."""
    condition: Filter = EVERY if lane is None else Text(Field.GROUP, Op.EQUAL, lane)
    for word in wanted.split():
        if word.startswith("!"):
            condition = condition if word == "!" else condition & ~_anywhere(word[1:])
        else:
            condition &= _anywhere(word)
    return condition


def _anywhere(word: str) -> Filter:
    return reduce(or_, (Text(field, Op.HAS, word) for field in _SEARCHED))
