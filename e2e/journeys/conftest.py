"""What several journeys begin with."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from e2e.furnishing import Furnished, Furniture
from e2e.running import Godwit


@pytest.fixture(scope="session")
def furniture(godwit: Godwit) -> Furniture:
    """Furnished once, by the first journey that brings a browser."""
    return Furniture(godwit)


@pytest.fixture(scope="module")
def furnished(browser: Browser, furniture: Furniture) -> Iterator[Furnished]:
    """For the photographs of one file. What broke in its browsers fails the last of them."""
    made = Furnished(browser, furniture)
    yield made
    assert not made.close()
