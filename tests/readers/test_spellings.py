"""One address in two spellings is one reader, however and whenever each comes (R1, field cases E)."""

import asyncio

import httpx

from app.base.database import Database
from app.readers import find_reader
from tests.imports.makers import HEADER, imported
from tests.readers.mails import confirm_path
from tests.readers.makers import a_place
from tests.readers.visitors import opened, program, visitor


async def test_a_reader_who_came_in_capitals_is_the_same_in_a_file_without_them(
    web: Database, worker: Database
) -> None:
    place = await a_place(web)
    async with opened() as site, await program(site, place) as api:
        made = await api.post("readers", json={"email": "Foo@Example.ORG", "consent": {"source": "a form"}})
    assert made.status_code == 201
    again = await imported(place, worker, f"{HEADER}foo@example.org,,,true,,\n".encode())
    assert (again.created, again.unchanged, again.rows) == (0, 1, 1)
    third = await imported(place, worker, f"{HEADER}FOO@EXAMPLE.org,,,true,,\n".encode())
    assert (third.created, third.unchanged) == (0, 1)
    async with place.transaction() as tx:
        assert await tx.value("select count(*) from reader") == 1


async def test_two_first_sign_ups_in_two_spellings_at_one_instant_make_one_reader(
    web: Database, owner: Database
) -> None:
    """Each of both links confirms that one reader."""
    place = await a_place(web)
    async with opened() as site, visitor(site) as one, visitor(site) as other:

        async def ask(who: httpx.AsyncClient, email: str) -> int:
            origin = str(who.base_url).rstrip("/")
            answer = await who.post("/subscribe", data={"email": email}, headers={"Origin": origin})
            return answer.status_code

        told = await asyncio.gather(ask(one, "New@Example.org"), ask(other, "new@example.ORG"))
        assert all(status < 400 for status in told)
        origin = str(one.base_url).rstrip("/")
        path = await confirm_path(owner, "new@example.org")
        assert (await one.post(path, headers={"Origin": origin})).status_code < 400
    async with place.transaction() as tx:
        assert await tx.value("select count(*) from reader") == 1
        found = await find_reader(tx, "new@example.org")
    assert found is not None
    assert found.state == "active"
