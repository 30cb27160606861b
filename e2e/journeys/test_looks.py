"""Every page at phone and desktop width, light and dark: axe finds nothing serious, nothing scrolls sideways.

A photograph of each is kept in e2e/.shots/, to be looked at. The files beside this one look after acts.
"""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from e2e.furnishing import BASE, EMAIL, Furnished
from e2e.looking import look_at
from e2e.pages.studio import Studio
from e2e.running import Godwit

_PLACES = (
    *(
        "home",
        "posts",
        "editor-new",
        "editor",
        "versions",
        "version-1",
        "preview",
        "preview-phone",
        "publish",
        "publish-links",
        "published",
        "scheduled",
        "scheduled-one",
        "publish-waiting",
        "unpublish",
        "delete",
        "version",
        "version-older",
    ),
    *("emails", "email", "email-copies", "email-mail", "email-why"),
    *("readers", "readers-none", "reader", "reader-new", "settings"),
    *("imports", "import", "import-undo", "import-columns", "import-posts", "export"),
    *("readers-filtered", "segments", "segment-new", "readers-do", "readers-done", "growth"),
    *("blocked", "blocked-one", "why", "why-never"),
    *("plans", "plan", "reader-access", "site-archive", "site-tag", "site-kept", "site-about"),
    "site-nothing",
    *("mailbox", "api-docs", "site", "site-post", "site-unsubscribe", "site-unsubscribe-broken"),
    *("newsletters", "newsletter", "newsletter-new", "site-subscribe", "site-check-inbox"),
    *("site-confirm-broken", "site-sign-in", "site-sign-in-code", "site-sign-in-link-broken"),
)


@pytest.mark.parametrize("place", _PLACES)
def test_page(furnished: Furnished, place: str) -> None:
    """Opened as it stands."""
    furnished.visitor.go(furnished.places[place])
    assert not look_at(furnished.visitor.page, place)


def _menu(furnished: Furnished) -> None:
    furnished.visitor.page.set_viewport_size({"width": 390, "height": 844})
    furnished.visitor.go(furnished.places["home"])
    furnished.visitor.page.get_by_text("More", exact=True).click()


def _mail_in_the_mailbox(furnished: Furnished) -> None:
    furnished.visitor.go(furnished.places["mailbox"])
    furnished.visitor.page.get_by_role("row").get_by_role("link").first.click()
    furnished.visitor.ready()


def _nowhere(furnished: Furnished) -> None:
    furnished.visitor.go("/studio/tidelines/nowhere")


_SITUATIONS: dict[str, Callable[[Furnished], Any]] = {
    "home-menu": _menu,
    "mailbox-mail": _mail_in_the_mailbox,
    "nowhere": _nowhere,
}


@pytest.mark.parametrize("situation", _SITUATIONS)
def test_situation(furnished: Furnished, situation: str) -> None:
    """After something was done on it."""
    _SITUATIONS[situation](furnished)
    assert not look_at(furnished.visitor.page, situation)


def test_the_way_in(furnished: Furnished) -> None:
    """The pages before the studio."""
    guest = furnished.guest
    guest.go("/sign-in")
    wrong = look_at(guest.page, "sign-in")
    guest.fill("Your email address", EMAIL)
    guest.press("Send me a code")
    guest.ready()
    wrong += look_at(guest.page, "code")
    guest.fill("The six digits", "000000")
    guest.press("Sign in")
    guest.ready()
    wrong += look_at(guest.page, "code-wrong")
    assert not wrong


def test_an_empty_publication(furnished: Furnished, godwit: Godwit) -> None:
    """Before anything happened, each page says what could."""
    godwit.account("untouched", "ida@example.org", "Untouched")
    guest = furnished.guest
    guest.sign_in("ida@example.org")
    wrong: list[str] = []
    for place in ("", "posts", "releases", "broadcasts", "readers", "imports", "settings"):
        Studio(guest, "untouched").open(place)
        wrong += look_at(guest.page, f"empty-{place or 'home'}")
    guest.go(godwit.site("untouched") + "/")
    wrong += look_at(guest.page, "empty-site")
    assert not wrong


def test_an_email_on_its_way(furnished: Furnished) -> None:
    """While it goes out, on its own page and on the first one."""
    furnished.godwit.slow(3, times=1)
    post = furnished.post("What nobody counted")
    sent = furnished.api.post(f"/posts/{post}/publish", {"site": False, "email": {}})
    furnished.visitor.go(f"{BASE}/broadcasts/{sent['broadcast']}")
    expect(furnished.visitor.page.get_by_role("region", name="How far it is")).to_have_attribute(
        "data-state", "sending"
    )
    wrong = look_at(furnished.visitor.page, "email-going")
    furnished.visitor.go(furnished.places["home"])
    wrong += look_at(furnished.visitor.page, "home-after")
    furnished.godwit.drain()
    assert not wrong
