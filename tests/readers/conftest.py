"""No floor of time, but in the tests that are about it."""

import pytest

from app.readers import site_forms

_FLOOR = site_forms.FLOOR


@pytest.fixture(autouse=True)
def no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms are answered as soon as they can be."""
    monkeypatch.setattr(site_forms, "FLOOR", 0.0)


@pytest.fixture
def floor(no_floor: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms are answered no sooner than outside the tests."""
    monkeypatch.setattr(site_forms, "FLOOR", _FLOOR)
