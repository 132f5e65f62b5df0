"""Every screen, whole, at four sizes and more."""

import pytest

from tests.ui.shown import KEPT, path, shown


@pytest.mark.parametrize(("name", "size"), KEPT, ids=[path(*each).stem for each in KEPT])
async def test_the_screen_is_as_it_is_kept(name: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    assert await shown(name, size) == path(name, size).read_text("utf-8")
