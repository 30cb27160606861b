"""No floor of time, but in the tests that are about it."""

import pytest

from app.readers import strangers

assert strangers.FLOOR >= 0.25
#: In tests that are about it; long enough to be told from none.
FLOOR = 0.08


@pytest.fixture(autouse=True)
def no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms are answered as soon as they can be."""
    monkeypatch.setattr(strangers, "FLOOR", 0.0)


@pytest.fixture
def floor(no_floor: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms are answered no sooner than that."""
    monkeypatch.setattr(strangers, "FLOOR", FLOOR)
