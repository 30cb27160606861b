"""The link in every mail (readers R3, R5; RFC 8058)."""

import httpx

from app.audiences import size
from app.base import ids
from app.base.database import Database
from app.ledger import unsubscribe_token
from app.readers import ReaderView, erase_reader, reader
from app.readers.queries import consent_history
from tests.readers.makers import Place, a_place, another_newsletter


def link(place: Place, one: ReaderView) -> str:
    return f"/unsubscribe/{unsubscribe_token(place.id, one.id, place.newsletter_id)}"


async def now(place: Place, one: ReaderView) -> ReaderView:
    async with place.transaction() as tx:
        found = await reader(tx, one.id)
    assert found
    return found


async def test_opening_the_link_changes_nothing(place: Place, site: httpx.AsyncClient) -> None:
    """R5: link scanners use HEAD and GET, with any user agent and no cookies."""
    anna = await place.reader()
    scanner = {"User-Agent": "Mozilla/5.0 (SafeLinks)"}
    assert (await site.head(link(place, anna), headers=scanner)).status_code == 200
    shown = await site.get(link(place, anna), headers=scanner)
    assert shown.status_code == 200
    assert "set-cookie" not in shown.headers
    assert shown.headers["cache-control"] == "no-store"
    assert 'data-state="ask"' in shown.text
    assert "anna@example.org" in shown.text
    assert await now(place, anna) == anna


async def test_the_button_unsubscribes_at_once_and_twice_is_once(
    place: Place, site: httpx.AsyncClient
) -> None:
    """R3, R5."""
    anna, ben = await place.reader(), await place.reader("ben@example.org")
    done = await site.post(link(place, anna))
    assert (done.status_code, 'data-state="done"' in done.text) == (200, True)
    again = await site.post(link(place, anna))
    assert (again.status_code, 'data-state="already"' in again.text) == (200, True)
    assert 'data-state="already"' in (await site.get(link(place, anna))).text
    assert (await now(place, anna)).state == "unsubscribed"
    assert (await now(place, ben)).state == "active"
    async with place.transaction() as tx:
        assert (await size(tx, place.newsletter_id)).will == 1
        assert [(one.act, one.how) for one in await consent_history(tx, anna.id)][1:] == [
            ("unsubscribed", "by the link in a mail")
        ]


async def test_one_click_needs_no_cookie_no_origin_and_no_token_of_a_form(
    place: Place, site: httpx.AsyncClient
) -> None:
    """R5, RFC 8058: the mail provider's machine posts this body and nothing else, in either form encoding."""
    anna, ben, cora = [await place.reader(f"{name}@example.org") for name in ("anna", "ben", "cora")]
    body = {"List-Unsubscribe": "One-Click"}
    assert (await site.post(link(place, anna), data=body)).status_code == 200
    assert (
        await site.post(link(place, ben), files={k: (None, v) for k, v in body.items()})
    ).status_code == 200
    strange = await site.post(link(place, cora), content=b"{}", headers={"Content-Type": "application/json"})
    assert strange.status_code == 200
    assert [(await now(place, one)).state for one in (anna, ben, cora)] == ["unsubscribed"] * 3
    async with place.transaction() as tx:
        assert (await consent_history(tx, anna.id))[-1].how == "by one click in the mail program"


async def test_the_link_is_of_one_newsletter(place: Place, owner: Database, site: httpx.AsyncClient) -> None:
    notes = await another_newsletter(owner, place)
    anna = await place.reader(newsletters=(place.newsletter_id, notes))
    await site.post(link(place, anna))
    assert (await now(place, anna)).newsletters == ("field-notes",)


async def test_a_link_that_we_did_not_make_is_told_so(
    place: Place, web: Database, site: httpx.AsyncClient
) -> None:
    """A cut or foreign link is a clear 404, also one of another account's."""
    anna = await place.reader()
    other = await a_place(web, "elsewhere")
    wrong = [
        link(place, anna)[:-1],
        link(place, anna) + "A",
        "/unsubscribe/nonsense",
        "/unsubscribe/%00",
        f"/unsubscribe/{unsubscribe_token(other.id, anna.id, place.newsletter_id)}",
        f"/unsubscribe/{unsubscribe_token(place.id, ids.new(), place.newsletter_id)}",
        f"/unsubscribe/{unsubscribe_token(place.id, anna.id, other.newsletter_id)}",
    ]
    for url in wrong:
        for answer in (await site.get(url), await site.post(url)):
            assert answer.status_code == 404, url
            assert "This link does not work" in answer.text
    assert (await now(place, anna)).state == "active"


async def test_an_erased_reader_is_told_so(place: Place, site: httpx.AsyncClient) -> None:
    """R4."""
    anna = await place.reader()
    async with place.transaction() as tx:
        await erase_reader(tx, anna.id)
    for answer in (await site.get(link(place, anna)), await site.post(link(place, anna))):
        assert (answer.status_code, 'data-state="erased"' in answer.text) == (200, True)
        assert "anna" not in answer.text.replace(link(place, anna), "")
