"""The screens beside the path overview, queue, job, whole, at four sizes."""

import pytest

from tests.ui.shown import SCREENS, SIZES, path, shown


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCREENS)
async def test_the_screen_is_as_it_is_kept(name: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    assert await shown(name, size) == path(name, size).read_text("utf-8")
