"""What a reader meets on the site, in each situation: its pages as test_looks looks at them."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from e2e.furnishing import BASE, SLUG, Furnished
from e2e.looking import look_at
from e2e.pages.plans import ReaderAccess
from e2e.pages.reader import OwnPage
from e2e.pages.site import Site
from e2e.pages.studio import Studio


def _confirm(furnished: Furnished) -> None:
    furnished.guest.go(furnished.places["site-subscribe"])
    furnished.guest.fill("Your email address", "lena@example.org")
    furnished.guest.press("Subscribe")
    furnished.guest.ready()
    mail = furnished.godwit.mails(to="lena@example.org", kind="confirm", wait=10)[0]
    furnished.guest.go(next(link for link in mail.links if "/confirm/" in link))


def _subscribe_wrong(furnished: Furnished) -> None:
    furnished.guest.go(furnished.places["site-subscribe"])
    furnished.guest.fill("Your email address", "lena@example")
    furnished.guest.press("Subscribe")
    furnished.guest.ready()


def _unsubscribed(furnished: Furnished) -> None:
    furnished.guest.go(furnished.places["site-unsubscribe"])
    furnished.guest.press("Unsubscribe")
    furnished.guest.ready()


def _reader(furnished: Furnished, name: str) -> str:
    """Somebody who gets the newsletter; their id."""
    wanted = {"email": f"{name}@example.org", "name": name.title(), "consent": {"source": "a fair"}}
    return furnished.api.post("/readers", wanted)["id"]


def _link(furnished: Furnished, name: str) -> None:
    """The page behind the mailed link, before its button is pressed."""
    furnished.guest.page.context.clear_cookies()
    OwnPage(Site(furnished.guest, SLUG)).ask_code(f"{name}@example.org")
    mail = furnished.godwit.mails(to=f"{name}@example.org", kind="code", wait=10)[0]
    furnished.guest.go(next(link for link in mail.links if "/sign-in/" in link))


def _signed_in(furnished: Furnished, name: str) -> str:
    """A new reader, signed in, on their own page; their id."""
    made = _reader(furnished, name)
    _link(furnished, name)
    furnished.guest.press("Sign in")
    furnished.guest.ready()
    expect(furnished.guest.heading()).to_have_text("What you get")
    return made


def _sign_in_link(furnished: Furnished) -> None:
    _reader(furnished, "lars")
    _link(furnished, "lars")


def _own_page(furnished: Furnished) -> None:
    """With a plan that was given."""
    access = ReaderAccess(Studio(furnished.visitor, SLUG), _signed_in(furnished, "maja"))
    access.open()
    access.give("Gold", "Won the raffle")
    furnished.guest.page.reload()


def _own_page_blocked(furnished: Furnished) -> None:
    _signed_in(furnished, "nils")
    furnished.visitor.go(f"{BASE}/readers/blocked?address=nils@example.org")
    furnished.visitor.press("Block this address")
    expect(furnished.visitor.status().filter(has_text="is blocked. It is mailed nothing")).to_be_visible()
    furnished.guest.page.reload()
    expect(furnished.guest.page.get_by_role("heading", name="Mail to you is stopped")).to_be_visible()


def _erased(furnished: Furnished) -> None:
    _signed_in(furnished, "olof")
    OwnPage(Site(furnished.guest, SLUG)).erase("olof@example.org")
    expect(furnished.guest.heading()).to_have_text("You are erased")


def _kept_signed_in(furnished: Furnished) -> None:
    """Signed in, without a plan."""
    _signed_in(furnished, "pia")
    furnished.guest.go(furnished.places["site-kept"])


def _of_one_plan(furnished: Furnished) -> None:
    """A post for readers of another plan than one's own."""
    gold = furnished.places["plan"].rpartition("/")[2]
    post = furnished.post("For the golden ones", access="plan", plan=gold)
    furnished.api.post(f"/posts/{post}/publish", {"site": True, "email": None})
    _signed_in(furnished, "quentin")
    furnished.guest.go(furnished.godwit.site(SLUG) + "/for-the-golden-ones")


_SITUATIONS: dict[str, Callable[[Furnished], Any]] = {
    "site-confirm": _confirm,
    "site-subscribe-wrong": _subscribe_wrong,
    "site-sign-in-link": _sign_in_link,
    "site-me": _own_page,
    "site-me-blocked": _own_page_blocked,
    "site-me-erased": _erased,
    "site-kept-signed-in": _kept_signed_in,
    "site-kept-for-a-plan": _of_one_plan,
    "site-unsubscribed": _unsubscribed,
}


@pytest.mark.parametrize("situation", _SITUATIONS)
def test_situation(furnished: Furnished, situation: str) -> None:
    """After something was done on it."""
    _SITUATIONS[situation](furnished)
    assert not look_at(furnished.guest.page, situation)
