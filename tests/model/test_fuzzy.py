"""What a typed filter finds."""

import pytest

from emqtop.model.fuzzy import matches


@pytest.mark.parametrize(
    ("wanted", "text", "loose", "exact"),
    [
        ("", "orders", True, True),
        ("  ", "orders", True, True),
        ("ORD", "big-orders", True, True),
        ("ord", "old-red", True, False),
        ("dro", "orders", False, False),
        ("ord big", "big-orders", True, True),
        ("ord small", "big-orders", False, False),
        ("!ord", "orders", False, False),
        ("!ord", "o-r-d", True, True),
        ("!", "orders", True, True),
        ("big !ord", "big-mails", True, True),
        ("STRASSE", "straße", True, True),
    ],
)
def test_matches(wanted: str, text: str, loose: bool, exact: bool) -> None:
    assert (matches(wanted, text), matches(wanted, text, loose=False)) == (loose, exact)
