"""Readers in the JSON API, as /api/docs tells it."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest

from app.base import clock
from app.base.database import Database
from app.readers import unsubscribe
from app.suppressions import suppress
from tests.readers.mails import confirm_path, queued
from tests.readers.makers import Place, another_newsletter
from tests.readers.visitors import opened, program, visitor

CONSENT = {"source": "a form at the fair", "at": "2026-05-03T10:14:00Z"}


@pytest.fixture
async def api(place: Place) -> AsyncIterator[httpx.AsyncClient]:
    async with opened() as web, await program(web, place) as client:
        yield client


def fields(answer: httpx.Response) -> list[str]:
    """Which fields a problem names."""
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == answer.status_code
    assert all(one["message"] for one in body["errors"])
    return [one["field"] for one in body["errors"]]


async def test_newsletters_are_listed(api: httpx.AsyncClient) -> None:
    (one,) = (await api.get("newsletters")).json()["items"]
    assert (one["slug"], one["name"], one["default"]) == ("newsletter", "Tidelines", True)


async def test_a_reader_who_agreed_is_active_at_once(api: httpx.AsyncClient) -> None:
    answer = await api.post(
        "readers",
        json={"email": "Anna@BÜCHER.example", "name": " Anna\nB ", "tags": ["birds"], "consent": CONSENT},
    )
    assert answer.status_code == 201
    told = answer.json()
    assert (told["email"], told["name"]) == ("anna@xn--bcher-kva.example", "Anna B")
    assert (told["state"], told["newsletters"], told["tags"]) == ("active", ["newsletter"], ["birds"])
    assert told["subscriptions"][0]["consent"] == {
        "source": "a form at the fair",
        "at": "2026-05-03T10:14:00Z",
    }
    assert (await api.get(f"readers/{told['id']}")).json() == told
    assert (await api.get("readers", params={"email": "anna@bücher.example"})).json()["items"] == [told]


async def test_one_who_exists_is_left_as_is(api: httpx.AsyncClient, place: Place) -> None:
    """R1, R2."""
    first = (await api.post("readers", json={"email": "anna@example.org", "consent": CONSENT})).json()
    async with place.transaction() as tx:
        await unsubscribe(tx, (await place.reader()).id, None, "by the button")
    again = await api.post("readers", json={"email": "ANNA@example.org", "name": "New", "consent": CONSENT})
    assert again.status_code == 200
    told = again.json()
    assert (told["id"], told["name"], told["state"]) == (first["id"], "", "unsubscribed")
    assert "already" in told["notice"]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"email": "anna", "consent": CONSENT}, ["email"]),
        ({"email": "anna@example.org", "consent": {"source": " "}}, ["consent.source"]),
        (
            {"email": "anna@example.org", "consent": {"source": "x", "at": "0001-01-01T00:00:00+14:00"}},
            ["consent.at"],
        ),
        (
            {"email": "anna@example.org", "consent": {"source": "x", "at": "9999-12-31T23:59:59-14:00"}},
            ["consent.at"],
        ),
        ({"email": "anna@example.org", "consent": CONSENT, "name": "A\0B"}, ["name"]),
        ({"email": "anna@example.org", "consent": CONSENT, "newsletters": ["none"]}, ["newsletters"]),
        ({"email": "anna@example.org", "consent": CONSENT, "newsletters": []}, ["newsletters"]),
        ({"email": "", "name": "x" * 201, "tags": ["y" * 200]}, ["email", "name", "tags"]),
    ],
)
async def test_every_problem_is_named_and_nothing_is_kept(
    api: httpx.AsyncClient, body: dict, named: list[str]
) -> None:
    answer = await api.post("readers", json=body)
    assert answer.status_code == 422
    assert fields(answer) == named
    assert (await api.get("readers")).json() == {"items": [], "next": None}


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"email": 7}', b'{"email": "a@b.example", "what": 1}', b"\xff"]
)
async def test_what_is_no_reader_at_all_is_refused_in_words(api: httpx.AsyncClient, body: bytes) -> None:
    answer = await api.post("readers", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"]


async def test_paging_repeats_nobody_while_readers_are_added(api: httpx.AsyncClient, place: Place) -> None:
    """R6."""
    for n in range(7):
        await place.reader(f"reader{n}@example.org")
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = (await api.get("readers", params={"limit": 3, "cursor": cursor})).json()
        seen += [one["email"] for one in page["items"]]
        cursor = page["next"]
        await place.reader(f"late{len(seen)}@example.org")
    assert seen == [f"reader{n}@example.org" for n in reversed(range(7))]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "201"}, "limit"),
        ({"limit": "ten"}, "limit"),
        ({"cursor": "nonsense"}, "cursor"),
        ({"state": "asleep"}, "state"),
        ({"email": "not one"}, "email"),
    ],
)
async def test_a_wrong_question_is_named(api: httpx.AsyncClient, asked: dict, field: str) -> None:
    answer = await api.get("readers", params=asked)
    assert answer.status_code == 422
    assert fields(answer) == [field]


async def test_state_and_tag_pick(api: httpx.AsyncClient, place: Place) -> None:
    anna = await place.reader("anna@example.org", tags=("birds",))
    ben = await place.reader("ben@example.org", tags=("birds",))
    async with place.transaction() as tx:
        await unsubscribe(tx, ben.id, None, "x")

    async def found(**asked: str) -> list[str]:
        return [one["id"] for one in (await api.get("readers", params=asked)).json()["items"]]

    assert await found(tag="birds") == [str(ben.id), str(anna.id)]
    assert await found(tag="birds", state="active") == [str(anna.id)]
    assert await found(state="unsubscribed") == [str(ben.id)]
    assert await found(tag="sea") == []


async def test_a_change_keeps_what_it_leaves_out(
    api: httpx.AsyncClient, place: Place, owner: Database
) -> None:
    await another_newsletter(owner, place)
    anna = await place.reader(name="Anna", tags=("birds",))
    url = f"readers/{anna.id}"
    told = (await api.patch(url, json={"tags": ["sea", "Sea"]})).json()
    assert (told["name"], told["tags"], told["newsletters"]) == ("Anna", ["sea"], ["newsletter"])
    refused = await api.patch(url, json={"newsletters": ["newsletter", "field-notes"]})
    assert (refused.status_code, fields(refused)) == (422, ["consent"])
    both = {"newsletters": ["newsletter", "field-notes"], "consent": CONSENT}
    assert (await api.patch(url, json=both)).json()["newsletters"] == ["newsletter", "field-notes"]
    assert (await api.patch(url, json={"newsletters": []})).json()["state"] == "unsubscribed"
    lifted = await api.patch(url, json=both)
    assert lifted.status_code == 409
    assert "Only the reader" in lifted.json()["detail"]


async def test_erasing_is_for_good(api: httpx.AsyncClient, place: Place) -> None:
    """R4."""
    anna = await place.reader()
    assert (await api.delete(f"readers/{anna.id}")).status_code == 204
    assert (await api.delete(f"readers/{anna.id}")).status_code == 404
    assert (await api.get(f"readers/{anna.id}")).status_code == 404
    old = await api.post("readers", json={"email": anna.email, "consent": CONSENT})
    assert old.status_code == 409
    assert "erased" in old.json()["detail"]


async def test_an_id_that_names_nobody_is_not_found(api: httpx.AsyncClient, place: Place) -> None:
    for wrong in ("nonsense", "00000000-0000-0000-0000-000000000000", "%00"):
        for path in (f"readers/{wrong}", f"readers/{wrong}/sends"):
            assert (await api.get(path)).status_code == 404
    assert (await api.get(f"readers/{(await place.reader()).id}/sends")).json() == {"items": [], "next": None}


async def test_a_reader_without_consent_is_pending_and_asked_by_mail(
    api: httpx.AsyncClient, owner: Database, place: Place
) -> None:
    """R7: their own confirm makes it a subscription; until then nothing else is mailed."""
    answer = await api.post(
        "readers", json={"email": "anna@example.org", "name": "Anna", "tags": ["birds"], "note": "met at sea"}
    )
    assert answer.status_code == 201
    told = answer.json()
    assert (told["state"], told["newsletters"], told["tags"]) == ("pending", ["newsletter"], ["birds"])
    assert (told["source"], told["note"], told["name"]) == ("api", "met at sea", "Anna")
    again = await api.post("readers", json={"email": "anna@example.org"})
    assert (again.status_code, "already" in again.json()["notice"]) == (200, True)
    assert len(await queued(owner)) == 1
    async with opened() as web, visitor(web) as site:
        await site.post(await confirm_path(owner, "anna@example.org"))
    now = (await api.get(f"readers/{told['id']}")).json()
    assert now["state"] == "active"
    assert now["subscriptions"][0]["consent"]["source"].startswith("asked by the API (a test), confirmed")


async def test_an_address_that_the_team_blocked_is_not_asked(api: httpx.AsyncClient, place: Place) -> None:
    """S4: told to the program, and nothing is kept."""
    async with place.transaction() as tx:
        await suppress(tx, "anna@example.org", "by_hand", by="Ana")
    refused = await api.post("readers", json={"email": "anna@example.org"})
    assert fields(refused) == []
    assert refused.status_code == 409
    assert (await api.get("readers")).json()["items"] == []


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("9999-12-31T23:59:59Z", "31 December 9999 is yet to come"),
        ("1889-05-03T10:14:00Z", "03 May 1889 is before anybody agreed to email"),
        ("0001-01-01T00:00:00+01:00", "outside the calendar"),
    ],
)
async def test_a_consent_is_of_a_time_at_which_somebody_can_have_agreed(
    place: Place, api: httpx.AsyncClient, at: str, told: str
) -> None:
    """A year of 9999 in the history is no proof of anything; an hour of another clock is taken."""
    given = {"email": "late@example.org", "consent": {"source": "the fair", "at": at}}
    refused = await api.post("readers", json=given)
    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert (error["field"], told in error["message"]) == ("consent.at", True)
    soon = (clock.now() + timedelta(hours=20)).isoformat()
    taken = await api.post("readers", json=given | {"consent": {"source": "the fair", "at": soon}})
    assert taken.status_code == 201


async def test_of_four_at_one_instant_one_makes_the_reader_and_the_others_leave_them(
    api: httpx.AsyncClient, owner: Database
) -> None:
    """R1: exactly one 201; nobody's note or tags are written over by a later call, and one mail goes."""
    for consent in ({}, {"consent": CONSENT}):
        email = f"new{len(consent)}@example.org"
        answers = await asyncio.gather(
            *(
                api.post("readers", json={"email": email, "note": f"n{n}", "tags": [f"t{n}"]} | consent)
                for n in range(4)
            )
        )
        assert sorted(one.status_code for one in answers) == [200, 200, 200, 201]
        (first,) = [one.json() for one in answers if one.status_code == 201]
        now = (await api.get(f"readers/{first['id']}")).json()
        assert (now["note"], now["tags"]) == (first["note"], first["tags"])
        assert {one.json()["id"] for one in answers} == {first["id"]}
    assert len(await queued(owner, mail="confirm_subscription")) == 1
