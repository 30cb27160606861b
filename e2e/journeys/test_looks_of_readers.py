"""Readers, imports, newsletters and plans, in each situation: their pages as test_looks looks at them."""

from collections.abc import Callable
from typing import Any

import pytest

from e2e.furnishing import BASE, SLUG, TABLE, Furnished
from e2e.looking import look_at
from e2e.pages.readers import TRY, Import, over
from e2e.pages.studio import Studio

MEMBERS = b"email,who,size\nulla@example.org,Ulla,40\nnot an address,,\nvidar@example.org,Vidar,44\n"


def _reader_wrong(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["reader-new"])
    furnished.visitor.fill("Address", "nobody at all")
    furnished.visitor.press("Add this reader")
    furnished.visitor.ready()


def _welcome(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["newsletter"])
    furnished.visitor.box("What it says").fill(
        'Hello {first_name, "there"}. The next letter comes on *Sunday*.'
    )
    furnished.visitor.press("Save")
    furnished.visitor.ready()
    furnished.visitor.follow("See the welcome mail as it was last saved")


def _newsletter_wrong(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["newsletter-new"])
    furnished.visitor.fill("Name", "Заметки")
    furnished.visitor.fill("From address", "ana")
    furnished.visitor.press("Add this newsletter")
    furnished.visitor.ready()


def _access_given(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["reader-access"])
    furnished.visitor.fill("Why they get it", "My editor")
    furnished.visitor.box("Last day").fill("2027-05-31")
    furnished.visitor.press("Give access")
    furnished.visitor.ready()


def _plan_wrong(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["plans"])
    furnished.visitor.fill("Name", "Gold")
    furnished.visitor.press("Make the plan")
    furnished.visitor.ready()


def _import(furnished: Furnished, octets: bytes, press: str = "Import these readers") -> Import:
    """A table whose columns mean what their names say."""
    bringing = Import(Studio(furnished.visitor, SLUG))
    bringing.open()
    bringing.choose(TABLE | {"buffer": octets})
    bringing.go_on_as_guessed(press)
    return bringing


def _import_tried(furnished: Furnished) -> None:
    _import(furnished, MEMBERS, TRY).finished()


def _import_undone(furnished: Furnished) -> None:
    bringing = _import(furnished, MEMBERS)
    bringing.finished()
    bringing.undo()


def _import_failed(furnished: Furnished) -> None:
    over(_import(furnished, b"email,who\nnobody,Nobody\nat all,Nobody\n").visitor, "failed")


def _reader_erased(furnished: Furnished) -> None:
    reader = furnished.api.post("/readers", {"email": "wanda@example.org", "consent": {"source": "a fair"}})
    furnished.visitor.go(f"{BASE}/readers/{reader['id']}")
    furnished.visitor.page.get_by_text("Erase this reader", exact=True).click()
    furnished.visitor.fill("Type their address to confirm", "wanda@example.org")
    furnished.visitor.press("Erase for good")
    furnished.visitor.ready()


_SITUATIONS: dict[str, Callable[[Furnished], Any]] = {
    "reader-new-wrong": _reader_wrong,
    "reader-erased": _reader_erased,
    "reader-access-given": _access_given,
    "plan-wrong": _plan_wrong,
    "newsletter-welcome": _welcome,
    "newsletter-wrong": _newsletter_wrong,
    "import-tried": _import_tried,
    "import-undone": _import_undone,
    "import-failed": _import_failed,
}


@pytest.mark.parametrize("situation", _SITUATIONS)
def test_situation(furnished: Furnished, situation: str) -> None:
    """After something was done on it."""
    _SITUATIONS[situation](furnished)
    assert not look_at(furnished.visitor.page, situation)
