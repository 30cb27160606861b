"""A team: invited by mail, joined by signing in with that address, roles changed, members removed."""

import asyncio
import html
import re
from collections.abc import AsyncIterator

import httpx
import pytest

from app.accounts.team import change_role, remove_member
from app.base.database import Database
from app.base.errors import Conflict
from app.base.ids import new
from tests.accounts.makers import become, open_account, sign_in
from tests.web_server import browser

pytestmark = pytest.mark.anyio
URL = "/studio/tidelines/team"
STUDIO = "/studio/tidelines"


@pytest.fixture
async def page(ana: httpx.AsyncClient, web: Database) -> httpx.AsyncClient:
    """Ana's browser, signed in."""
    await sign_in(ana, web, "ana@example.com")
    return ana


@pytest.fixture
async def bea(studio: str) -> AsyncIterator[httpx.AsyncClient]:
    """Bea's browser: she was never here."""
    async with browser(studio) as client:
        yield client


async def invited(page: httpx.AsyncClient, owner: Database, role: str = "editor") -> str:
    """Invite Bea; answers the path of the mailed link."""
    done = await page.post(f"{URL}/invitations", data={"email": "Bea@Example.com", "role": role})
    assert (done.status_code, done.headers["location"]) == (303, URL)
    return (await mailed(owner))[0]


async def mailed(owner: Database) -> list[str]:
    """The links of all invitations that are on their way, newest first."""
    async with owner.transaction() as tx:
        rows = await tx.rows(
            "select args->>'text' as text from job where kind = 'send_message' order by id desc"
        )
    return [link[1] for row in rows if (link := re.search(r"https?://[^/]+(/invitations/\S+)", row.text))]


async def code_of(owner: Database) -> str:
    async with owner.transaction() as tx:
        text = await tx.value(
            "select args->>'text' from job where kind = 'send_creator_code' order by id desc limit 1"
        )
    found = re.search(r"\b\d{6}\b", text)
    assert found is not None
    return found[0]


async def joined(
    page: httpx.AsyncClient, bea: httpx.AsyncClient, owner: Database, role: str = "editor"
) -> None:
    """Bea takes an invitation the whole way: the link, her name, the code, the button."""
    link = await invited(page, owner, role)
    asked = await bea.post(f"{link}/code", data={"name": "Bea"})
    assert asked.status_code == 303, asked.text
    typed = {"email": "bea@example.com", "code": await code_of(owner), "next": link}
    entered = await bea.post("/sign-in/code", data=typed)
    assert (entered.status_code, entered.headers["location"]) == (303, link)
    done = await bea.post(f"{link}/accept")
    assert (done.status_code, done.headers["location"]) == (303, STUDIO)


async def roles(owner: Database) -> dict[str, str]:
    async with owner.transaction() as tx:
        rows = await tx.rows("select email, role from membership m join creator c on c.id = m.creator_id")
    return {row.email: row.role for row in rows}


async def test_an_invitation_is_mailed_and_taken_by_signing_in(
    page: httpx.AsyncClient, bea: httpx.AsyncClient, owner: Database
) -> None:
    """Promise 7."""
    link = await invited(page, owner)
    assert "bea@example.com" in (await page.get(URL)).text
    assert (await page.get(URL)).text.count(">Withdraw<") == 1
    seen = await bea.get(link)
    assert "Ana" in seen.text or "ana" in seen.text
    assert (await roles(owner)).keys() == {"ana@example.com"}  # opening it changed nothing
    await joined(page, bea, owner)
    assert (await roles(owner))["bea@example.com"] == "editor"
    assert "You are on the team of Tidelines now, as editor." in html.unescape((await bea.get(STUDIO)).text)
    listed = (await page.get(URL)).text
    assert "2 people work on Tidelines" in listed
    assert ">Withdraw<" not in listed


async def test_an_invitation_is_taken_once_and_not_after_its_days(
    page: httpx.AsyncClient, bea: httpx.AsyncClient, owner: Database
) -> None:
    """Promise 7."""
    await joined(page, bea, owner)
    link = (await mailed(owner))[0]
    again = await bea.post(f"{link}/accept")
    assert (again.status_code, again.headers["location"]) == (303, STUDIO), "a second press leads there too"
    async with owner.transaction() as tx:
        await tx.execute("delete from membership where role = 'editor'")
    again = await bea.post(f"{link}/accept")
    assert (again.status_code, "not open any more" in again.text) == (404, True)
    other = await page.post(f"{URL}/invitations", data={"email": "cem@example.com", "role": "writer"})
    assert other.status_code == 303
    late = (await mailed(owner))[0]
    async with owner.transaction() as tx:
        await tx.execute("update invitation set expires_at = godwit_now()")
    for answer in (await bea.get(late), await bea.post(f"{late}/code", data={"name": "C"})):
        assert (answer.status_code, "not open any more" in answer.text) == (404, True)
    assert 'data-state="over"' in (await page.get(URL)).text
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from creator where email = 'cem@example.com'") == 0


async def test_only_the_invited_address_can_take_it(
    page: httpx.AsyncClient, bea: httpx.AsyncClient, web: Database, owner: Database
) -> None:
    """Promise 7: a forwarded mail makes nobody else a member."""
    link = await invited(page, owner)
    await open_account(web, "eve@example.com", "elsewhere")
    assert (await bea.post(f"{link}/accept")).status_code in (303, 401)  # nobody is signed in
    await sign_in(bea, web, "eve@example.com")
    shown = await bea.get(link)
    assert "You are signed in as eve@example.com." in shown.text
    assert f'action="{link}/accept"' not in shown.text
    refused = await bea.post(f"{link}/accept")
    assert (refused.status_code, "for bea@example.com" in refused.text) == (403, True)
    async with owner.transaction() as tx:
        assert (
            await tx.value(
                "select count(*) from membership join account on id = account_id where slug = 'tidelines'"
            )
            == 1
        )


async def test_a_link_that_was_changed_opens_nothing(
    page: httpx.AsyncClient, bea: httpx.AsyncClient, owner: Database
) -> None:
    link = await invited(page, owner)
    for broken in (link[:-1], link + "A", "/invitations/x", link[:-3] + "AAA"):
        answer = await bea.get(broken)
        assert (answer.status_code, "not whole" in answer.text) == (404, True)


async def test_a_withdrawn_invitation_opens_nothing_and_one_mailed_again_is_the_same(
    page: httpx.AsyncClient, bea: httpx.AsyncClient, owner: Database
) -> None:
    link = await invited(page, owner)
    where = re.search(rf'action="({URL}/invitations/[0-9a-f-]+)/again"', (await page.get(URL)).text)
    assert where is not None
    assert (await page.post(f"{where[1]}/again")).status_code == 303
    assert await mailed(owner) == [link, link]
    assert "mailed 2 times" in (await page.get(URL)).text
    await invited(page, owner, "writer")  # invited anew: one invitation, the newer role
    assert await mailed(owner) == [link] * 3
    assert "as writer" in (await bea.get(link)).text
    assert (await page.post(f"{where[1]}/withdraw")).status_code == 303
    assert (await bea.get(link)).status_code == 404
    assert (await page.post(f"{where[1]}/withdraw")).status_code == 404
    assert (await page.post(f"{where[1]}/again")).status_code == 404


async def test_what_cannot_be_invited_comes_back_with_the_reason(
    page: httpx.AsyncClient, owner: Database
) -> None:
    for typed, said in (
        ({"email": "nobody", "role": "editor"}, 'value="nobody"'),
        ({"email": "ana@example.com", "role": "editor"}, "on the team already, as owner."),
        ({"email": "b@example.com", "role": "king"}, "Choose what they may do"),
    ):
        refused = await page.post(f"{URL}/invitations", data=typed)
        assert (refused.status_code, said in html.unescape(refused.text)) == (422, True)
    assert await mailed(owner) == []


async def test_who_was_never_here_gives_a_name(
    page: httpx.AsyncClient, bea: httpx.AsyncClient, owner: Database
) -> None:
    link = await invited(page, owner)
    assert 'name="name"' in (await bea.get(link)).text
    refused = await bea.post(f"{link}/code", data={"name": " "})
    assert (refused.status_code, "what the team shall call you" in refused.text) == (422, True)
    await bea.post(f"{link}/code", data={"name": "Bea"})
    assert 'name="name"' not in (await bea.get(link)).text  # known by now


async def test_roles_change_and_hold_from_the_next_click(
    page: httpx.AsyncClient, bea: httpx.AsyncClient, owner: Database
) -> None:
    await joined(page, bea, owner)
    async with owner.transaction() as tx:
        bea_id = await tx.value("select id from creator where email = 'bea@example.com'")
    assert (await bea.get(URL)).status_code == 403
    done = await page.post(f"{URL}/{bea_id}/role", data={"role": "owner", "was": "editor"})
    assert done.status_code == 303
    assert (await bea.get(URL)).status_code == 200
    stale = await page.post(f"{URL}/{bea_id}/role", data={"role": "writer", "was": "editor"})
    assert (stale.status_code, "Bea was made owner meanwhile." in stale.text) == (409, True)
    assert (await page.post(f"{URL}/{bea_id}/remove")).status_code == 303
    assert (await bea.get(STUDIO)).status_code == 404
    for path in ("", "/role", "/remove"):
        call = page.post if path else page.get
        gone = await call(f"{URL}/{bea_id}{path}")
        assert gone.status_code in (404, 422)


async def test_the_last_owner_stays(page: httpx.AsyncClient, owner: Database) -> None:
    """Promise 6."""
    async with owner.transaction() as tx:
        ana_id = await tx.value("select id from creator where email = 'ana@example.com'")
    assert "The only owner stays one" in (await page.get(f"{URL}/{ana_id}")).text
    demoted = await page.post(f"{URL}/{ana_id}/role", data={"role": "editor", "was": "owner"})
    removed = await page.post(f"{URL}/{ana_id}/remove")
    for refused in (demoted, removed):
        assert (refused.status_code, "keeps an owner" in refused.text) == (409, True)
    assert (await roles(owner)) == {"ana@example.com": "owner"}


async def test_two_owners_who_take_each_other_away_at_one_instant_leave_one(
    page: httpx.AsyncClient, bea: httpx.AsyncClient, web: Database, owner: Database
) -> None:
    """Promise 6: neither transaction sees what the other does until it waits for it."""
    await joined(page, bea, owner, "owner")
    async with owner.transaction() as tx:
        account = await tx.value("select id from account where slug = 'tidelines'")
        ids = {row.email: row.id for row in await tx.rows("select email, id from creator")}
    both = asyncio.Barrier(2)

    async def demote(email: str) -> None:
        async with web.transaction(account) as tx:
            await tx.value("select count(*) from membership")
            await both.wait()
            if email.startswith("ana"):
                await remove_member(tx, ids[email])
            else:
                await change_role(tx, ids[email], was="owner", role="writer")

    ended = await asyncio.gather(*(demote(email) for email in ids), return_exceptions=True)
    assert [type(one) for one in ended if one is not None] == [Conflict]
    assert sorted((await roles(owner)).values()).count("owner") == 1


@pytest.mark.parametrize("role", ["editor", "writer"])
async def test_the_team_is_for_owners(page: httpx.AsyncClient, owner: Database, role: str) -> None:
    async with owner.transaction() as tx:
        await become(tx, role)
    for answer in (
        await page.get(URL),
        await page.post(f"{URL}/invitations", data={"email": "b@example.com", "role": "owner"}),
        await page.post(f"{URL}/{new()}/remove"),
    ):
        assert (answer.status_code, "Only an owner" in answer.text) == (403, True)
    assert f'href="{URL}"' not in (await page.get(f"{STUDIO}/settings")).text


async def test_another_publications_members_and_invitations_are_not_there(
    page: httpx.AsyncClient, web: Database, owner: Database
) -> None:
    """T1."""
    await open_account(web, "eve@example.com", "elsewhere")
    await invited(page, owner)
    async with owner.transaction() as tx:
        eve = await tx.value("select id from creator where email = 'eve@example.com'")
        await tx.execute(
            "update invitation set account_id = (select id from account where slug = 'elsewhere')"
        )
        theirs = await tx.value("select id from invitation")
    assert (await page.get(f"{URL}/{eve}")).status_code == 404
    assert (await page.post(f"{URL}/{eve}/remove")).status_code == 404
    assert (await page.post(f"{URL}/invitations/{theirs}/withdraw")).status_code == 404
    assert (await roles(owner))["eve@example.com"] == "owner"


async def test_who_never_came_is_forgotten_a_month_later(
    page: httpx.AsyncClient, worker: Database, owner: Database
) -> None:
    await invited(page, owner)
    async with worker.transaction() as tx:
        assert await tx.value("select prune_invitations(30)") == 0
    async with owner.transaction() as tx:
        await tx.execute("update invitation set expires_at = godwit_now() - interval '31 days'")
    async with worker.transaction() as tx:
        assert await tx.value("select prune_invitations(30)") == 1


@pytest.mark.parametrize(
    "typed", ["\x00", "a\x00@example.com", "x" * 5000, "\ud800", "<b>@example.com", "à la carte"]
)
async def test_whatever_is_typed_is_answered_in_words(
    page: httpx.AsyncClient, bea: httpx.AsyncClient, owner: Database, typed: str
) -> None:
    given = typed.encode("utf-8", "surrogatepass")
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    quoted = "".join(f"%{byte:02X}" for byte in given)
    sent = await page.post(f"{URL}/invitations", content=f"email={quoted}&role={quoted}", headers=headers)
    assert sent.status_code == 422
    link = await invited(page, owner)
    named = await bea.post(f"{link}/code", content=f"name={quoted}", headers=headers)
    assert named.status_code in (303, 422)
    assert (await bea.get(f"/invitations/{quoted}")).status_code in (400, 404)
    assert (await bea.post(f"/invitations/{quoted}/code")).status_code in (400, 404)
    made = await page.post("/studio/tidelines/keys", content=f"name={quoted}&id={quoted}", headers=headers)
    assert made.status_code == 422


async def test_whoever_works_on_several_publications_goes_from_one_to_the_other(
    page: httpx.AsyncClient, bea: httpx.AsyncClient, web: Database, owner: Database
) -> None:
    await open_account(web, "bea@example.com", "marsh")
    assert '<a href="/">Your publications</a>' not in (await page.get(STUDIO)).text
    link = await invited(page, owner)
    await sign_in(bea, web, "bea@example.com")
    assert '<a href="/">Your publications</a>' not in (await bea.get("/studio/marsh")).text
    assert (await bea.post(f"{link}/accept")).status_code == 303
    for place in ("/studio/marsh", STUDIO):
        assert '<a href="/">Your publications</a>' in (await bea.get(place)).text
    chosen = (await bea.get("/")).text
    assert 'href="/studio/marsh"' in chosen
    assert f'href="{STUDIO}"' in chosen
