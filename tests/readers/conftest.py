"""No floor of time, but in the tests that are about it."""

import pytest

from app.readers import strangers

_FLOOR = strangers.FLOOR


@pytest.fixture(autouse=True)
def no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms are answered as soon as they can be."""
    monkeypatch.setattr(strangers, "FLOOR", 0.0)


@pytest.fixture
def floor(no_floor: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms are answered no sooner than outside the tests."""
    monkeypatch.setattr(strangers, "FLOOR", _FLOOR)
