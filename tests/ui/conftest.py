"""What holds for every test of a screen."""

import pytest


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are drawn in UTC, wherever the tests run."""
    monkeypatch.setenv("TZ", "UTC")
