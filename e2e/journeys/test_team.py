"""A second person comes into the team, is given more, and leaves; a program gets a key, and loses it."""

from collections.abc import Callable
from urllib.error import HTTPError

import pytest
from playwright.sync_api import expect

from e2e.pages.studio import Studio
from e2e.pages.team import Keys, Team, take_invitation
from e2e.pages.visitor import Visitor
from e2e.running import Api, Godwit


@pytest.mark.parametrize("scripted", [True, False], ids=["with scripts", "without"])
def test_somebody_is_invited_comes_in_and_is_removed(
    godwit: Godwit, visit: Callable[..., Visitor], scripted: bool
) -> None:
    account = godwit.an_account(seed=1610 + scripted, readers=0, posts=1)
    visitor, bea = visit(godwit, scripted=scripted), visit(godwit, scripted=scripted)
    visitor.sign_in(account.email)
    email = f"bea-{account.slug}@example.com"
    team = Team(Studio(visitor, account.slug))
    team.open()
    team.invite(email, "Writer")
    take_invitation(bea, email, "Bea Lind")
    expect(bea.page).to_have_url(godwit.studio + f"/studio/{account.slug}")
    expect(bea.status()).to_contain_text("as writer")
    bea.watch.expected |= {403, 404}
    bea.go(f"/studio/{account.slug}/team")
    expect(bea.page.get_by_text("Only an owner of the publication invites people")).to_be_visible()
    team.open()
    expect(team.member("Bea Lind")).to_contain_text("writer")
    team.change("Bea Lind")
    team.role("Owner")
    expect(team.member("Bea Lind")).to_contain_text("owner")
    bea.go(f"/studio/{account.slug}/team")
    expect(bea.heading()).to_have_text("Team")
    team.change("Bea Lind")
    team.remove("Bea Lind")
    expect(visitor.status()).to_contain_text("Bea Lind is no longer on the team.")
    bea.go(f"/studio/{account.slug}")
    expect(bea.page.get_by_text("you do not belong to its team")).to_be_visible()


@pytest.mark.parametrize("scripted", [True, False], ids=["with scripts", "without"])
def test_a_program_gets_a_key_and_loses_it(
    godwit: Godwit, visit: Callable[..., Visitor], scripted: bool
) -> None:
    account = godwit.an_account(seed=1620 + scripted, readers=0, posts=1)
    visitor = visit(godwit, scripted=scripted)
    visitor.sign_in(account.email)
    keys = Keys(Studio(visitor, account.slug))
    program = Api(godwit, keys.make("The shop"))
    expect(visitor.row("The shop")).to_contain_text("never")
    assert len(program.get("/posts")["items"]) == 1
    keys.revoke("The shop")
    expect(visitor.status()).to_contain_text("“The shop” is revoked")
    with pytest.raises((HTTPError, AssertionError), match="401"):
        program.get("/posts")
