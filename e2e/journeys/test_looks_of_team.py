"""Team, invitations and API keys: their pages as test_looks looks at them."""

import re

from playwright.sync_api import Browser, expect

from e2e.furnishing import a_visitor
from e2e.looking import look_at
from e2e.pages.studio import Studio
from e2e.pages.team import Team, take_invitation
from e2e.pages.visitor import Visitor
from e2e.running import Godwit


def looked(visitor: Visitor, name: str, place: str = "") -> list[str]:
    """What is wrong with a place, or with the page as it stands."""
    if place:
        visitor.go(place)
    visitor.ready()
    return look_at(visitor.page, name)


def test_pages_of_api_keys(browser: Browser, godwit: Godwit) -> None:
    account = godwit.an_account(seed=1630, readers=0, posts=0)
    visitor, base = a_visitor(browser, godwit), f"/studio/{account.slug}/keys"
    visitor.sign_in(account.email)
    wrong = looked(visitor, "keys", base)
    visitor.fill("What it is for", "The sign-up form of the shop in Visby, and its newsletter box")
    visitor.press("Make the key")
    expect(visitor.box("API key")).to_be_visible()
    wrong += looked(visitor, "key-made")
    visitor.follow("I have copied it")
    visitor.follow(re.compile("^Revoke The sign-up form"))
    wrong += looked(visitor, "key-revoke")
    assert wrong + visitor.watch.problems == []
    visitor.page.context.close()


def test_pages_of_the_team(browser: Browser, godwit: Godwit) -> None:
    account = godwit.an_account(seed=1631, readers=0, posts=0)
    visitor, bea = a_visitor(browser, godwit), a_visitor(browser, godwit)
    visitor.sign_in(account.email)
    team = Team(Studio(visitor, account.slug))
    team.open()
    wrong = looked(visitor, "team-of-one")
    team.invite("bea-of-a-very-long-name.lindqvist@correspondence.example.com", "Editor")
    team.invite("cem@example.com", "Writer")
    wrong += looked(visitor, "team-invited")
    [mail] = godwit.mails(to="cem@example.com", wait=15)[:1]
    [link] = [one for one in mail.links if "/invitations/" in one]
    wrong += looked(visitor, "invitation-of-another", link) + looked(bea, "invitation", link)
    take_invitation(bea, "cem@example.com", "Cem")
    team.open()
    team.change("Cem")
    wrong += looked(visitor, "team-member")
    assert wrong + visitor.watch.problems + bea.watch.problems == []
    visitor.page.context.close()
    bea.page.context.close()
