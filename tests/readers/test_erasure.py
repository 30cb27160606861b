"""What stays of an erased reader: a keyed hash, and nothing else in any table (R4, suppressions S6)."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from app import mail
from app.base import clock
from app.base.database import Database, Tx
from app.jobs import AddressBounced, enqueue
from app.readers import Consent, arrivals, default_newsletter, erase_reader, find_reader, import_readers
from app.readers.arrivals import Arrival
from app.suppressions import hash_of, suppress, suppression_of
from tests.messages.makers import Provider, a_loop, run
from tests.readers.mails import code_of, confirm_path
from tests.readers.makers import Place, a_place
from tests.readers.visitors import opened, program, visitor
from tests.waiting import until
from workers import catalog

ANNA = "anna.quill@example.org"
QUOTED = "550 5.1.1 <Anna.Quill@EXAMPLE.org>: no such user"
_OLD = Path(__file__).parent / "remains.sql"
_COLUMNS = """
select table_schema || '.' || table_name as "table", column_name, data_type
from information_schema.columns c
join information_schema.tables t using (table_schema, table_name)
where t.table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema', 'mailbox')
  and data_type in ('text', 'jsonb', 'character varying', 'ARRAY', 'bytea')
"""


@pytest.fixture
async def place(web: Database) -> Place:
    catalog.load()
    return await a_place(web)


@pytest.fixture
async def web_app(place: Place) -> AsyncIterator[Any]:
    async with opened() as app:
        yield app


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Provider:
    made = Provider(mail.Accepted())
    monkeypatch.setattr(mail, "current_provider", lambda: made)
    return made


async def work(worker: Database, *queues: str) -> None:
    for queue in queues:
        loop = a_loop(worker, queue)
        for _ in range(3):
            await run(loop)


async def remains(owner: Database, *words: str) -> set[str]:
    """The columns of any table in which one of the words stands."""
    async with owner.transaction() as tx:
        looks = [
            f"select '{row.table}.{row.column_name}' as place from {row.table} where "
            + (
                f"encode({row.column_name}, 'escape')"
                if row.data_type == "bytea"
                else f'"{row.column_name}"::text'
            )
            + " ~* :words"
            for row in await tx.rows(_COLUMNS)
        ]
        rows = await tx.rows(" union ".join(looks), words="|".join(words))
    return {row.place for row in rows}


async def been_through_everything(
    place: Place, web_app: Any, owner: Database, worker: Database, provider: Provider
) -> UUID:
    """Imported, tagged, mailed, bounced in the server's words, asked for a code, called for by programs."""
    arrival = Arrival(1, ANNA, "Anna Quill", "active", ("friend",), "met at Quill Hall", extra={"Mail": ANNA})
    async with place.transaction() as tx:
        [made] = await import_readers(tx, [arrival], place.newsletter_id, "from a list")
    async with visitor(web_app) as site:
        await site.post("/sign-in", data={"email": ANNA})
    async with await program(web_app, place) as api:
        for key in ("a-key", f"reader:{ANNA}"):
            told = await api.post("readers", json={"email": ANNA}, headers={"Idempotency-Key": key})
            assert told.status_code == 200
        provider.answers = [mail.Refused(QUOTED, bounced=True)]
        given = {
            "to": ANNA,
            "subject": "Your invoice",
            "text": "Dear Anna Quill",
            "idempotency_key": f"invoice:7:{ANNA}",
        }
        assert (await api.post("messages", json=given)).status_code == 202
    await work(worker, "messages", "codes_readers", "housekeeping")
    async with place.transaction() as tx:
        assert (await suppression_of(tx, ANNA)) is not None
        await suppress(tx, "other@example.org", "by_hand", "shares a mailbox with nobody", by="Ana")
    assert made.reader_id is not None
    async with owner.transaction() as tx:
        bound = {
            "a": place.id,
            "reader": made.reader_id,
            "newsletter": place.newsletter_id,
            "address": ANNA,
            "words": QUOTED,
        }
        for statement in _OLD.read_text("utf-8").split(";\n"):
            if statement.strip():
                await tx.execute(
                    statement, **{name: value for name, value in bound.items() if f":{name}" in statement}
                )
    return made.reader_id


async def test_nothing_but_a_hash_stays_of_a_reader_who_has_been_through_everything(
    place: Place, web_app: Any, owner: Database, worker: Database, provider: Provider
) -> None:
    """R4: in every text, JSON and array of every table; what servers said is kept without the address."""
    reader_id = await been_through_everything(place, web_app, owner, worker, provider)
    before = await remains(owner, ANNA, "Quill")
    assert {
        "public.send.reason",
        "public.segment.filter",
        "public.idempotency.answer",
        "public.job_key.key",
        "public.event.data",
        "public.event.body",
    } <= before
    async with owner.transaction() as tx:
        said = await tx.value(
            "select detail->>'reason' from attempt where job_id <> 900 and outcome = 'refused'"
        )
        assert said == "550 5.1.1 <this address>: no such user"  # what is learned now never names it
    async with place.transaction() as tx:
        assert await erase_reader(tx, reader_id)
    await work(worker, "messages", "codes_readers", "housekeeping")
    assert await remains(owner, ANNA, "Quill") == set()
    async with owner.transaction() as tx:
        assert await tx.value("select reason from send") == "550 5.1.1 <this address>: no such user"
        assert await tx.value("select detail->>'reason' from attempt where job_id = 900") == (
            "550 5.1.1 <this address>: no such user"
        )
        assert await tx.value("select args->>'reason' from job where id = 902") == (
            "550 5.1.1 <this address>: no such user"
        )
    async with place.transaction() as tx:
        assert await suppression_of(tx, ANNA) is not None


async def test_what_webhooks_were_told_of_an_erased_reader_keeps_their_id(
    place: Place, web_app: Any, owner: Database, worker: Database, provider: Provider
) -> None:
    """R4, W2: what waits is not sent, what nobody numbered is gone; a repeat tells the id alone."""
    reader_id = await been_through_everything(place, web_app, owner, worker, provider)
    async with place.transaction() as tx:
        assert await erase_reader(tx, reader_id)
    bare = {"reader": {"id": str(reader_id)}}
    async with owner.transaction() as tx:
        rows = await tx.rows("select id, type, data, body from event order by sequence nulls last, id")
        job = await tx.row("select state, reason from job where id = 901")
        detail = await tx.value("select detail from attempt where job_id = 901")
    assert [(row.type, row.data) for row in rows] == [
        ("reader.confirmed", bare),
        ("broadcast.needs_attention", {"reason": "550 5.1.1 <this address>: no such user"}),
        ("reader.erased", bare),
    ]
    assert json.loads(rows[0].body) == {"type": "reader.confirmed", "sequence": 1, "data": bare}
    assert json.loads(rows[1].body) == {"data": rows[1].data}
    assert job is not None
    assert tuple(job) == ("discarded", "the reader was erased")
    assert detail == {"status": 500, "answer": ""}


async def test_a_key_of_an_erased_readers_message_answers_for_good(
    place: Place, web_app: Any, owner: Database, worker: Database, provider: Provider
) -> None:
    """Messages M1: it is known by its hash. The kept answer says that it is gone."""
    reader_id = await been_through_everything(place, web_app, owner, worker, provider)
    async with place.transaction() as tx:
        await erase_reader(tx, reader_id)
    async with await program(web_app, place) as api:
        given = {
            "to": ANNA,
            "subject": "Your invoice",
            "text": "Dear Anna",
            "idempotency_key": f"invoice:7:{ANNA}",
        }
        assert (await api.post("messages", json=given)).status_code == 200
        again = await api.post("readers", json={"email": ANNA}, headers={"Idempotency-Key": "a-key"})
    assert again.status_code == 410
    assert "erased" in again.json()["detail"]
    assert await remains(owner, ANNA) == set()


async def test_asking_for_an_erased_address_brings_no_block_back_in_the_clear(
    place: Place, web_app: Any, owner: Database
) -> None:
    """S6: anybody can ask. Who confirms is known again, and what is theirs to lift is lifted."""
    anna = await place.reader(ANNA)
    async with place.transaction() as tx:
        await suppress(tx, ANNA, "complaint")
        await erase_reader(tx, anna.id)
    async with visitor(web_app) as site:
        await site.post("/subscribe", data={"email": ANNA})
        blocked = {"public.suppression.address", "public.suppression_change.address"}
        assert not blocked & await remains(owner, ANNA)
        assert 'data-state="done"' in (await site.post(await confirm_path(owner, ANNA))).text
    async with place.transaction() as tx:
        assert await suppression_of(tx, ANNA) is None
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from mailable") == 1


@pytest.mark.parametrize("way", ["me", "api"])
async def test_a_block_that_is_not_theirs_to_lift_holds_for_whoever_comes_back_another_way(
    place: Place, web_app: Any, owner: Database, way: str
) -> None:
    """S1, S6: they had asked before the team blocked the address that was erased."""
    anna = await place.reader(ANNA)
    async with place.transaction() as tx:
        slug = (await default_newsletter(tx)).slug
        await erase_reader(tx, anna.id)
    async with visitor(web_app) as site:
        await site.post("/subscribe", data={"email": ANNA})
        async with owner.transaction() as tx:
            await tx.execute(
                "insert into suppression (account_id, address, reason) values (:account, :hash, 'by_hand')",
                account=place.id,
                hash=hash_of(ANNA),
            )
        if way == "me":
            await site.post("/sign-in", data={"email": ANNA})
            code = await code_of(owner, ANNA)
            assert (await site.post("/sign-in/code", data={"email": ANNA, "code": code})).status_code == 303
            await site.post("/me/newsletters", data={"newsletters": slug})
        else:
            async with place.transaction() as tx:
                found = await find_reader(tx, ANNA)
            assert found is not None
            async with await program(web_app, place) as api:
                told = {"newsletters": [slug], "consent": {"source": "by phone"}}
                assert (await api.patch(f"readers/{found.id}", json=told)).status_code == 200
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from subscription where state = 'active'") == 1
        assert await tx.value("select count(*) from mailable") == 0


@pytest.mark.parametrize("learned", ["after", "before"])
async def test_a_bounce_that_comes_after_the_erasure_keeps_a_hash(
    place: Place, owner: Database, worker: Database, learned: str
) -> None:
    """S6: the mail was on its way; also when the news of it waits for its handler."""
    anna = await place.reader(ANNA)
    news = AddressBounced(ANNA, "bounce", QUOTED)
    async with place.transaction() as tx:
        if learned == "before":
            await enqueue(tx, news)
        await erase_reader(tx, anna.id)
        if learned == "after":
            await enqueue(tx, news)
    await work(worker, "housekeeping")
    assert await remains(owner, ANNA) == set()
    async with place.transaction() as tx:
        block = await suppression_of(tx, ANNA)
    assert block is not None
    assert (block.reason, block.address) == ("bounce", ANNA)


async def test_a_bounce_of_somebody_who_came_back_is_kept_by_the_address(
    place: Place, owner: Database, worker: Database
) -> None:
    """S6: they are a reader as any other."""
    anna = await place.reader(ANNA)
    async with place.transaction() as tx:
        await erase_reader(tx, anna.id)
    await place.reader(ANNA, consent=Consent("a form, since then", clock.now()))
    async with place.transaction() as tx:
        await enqueue(tx, AddressBounced(ANNA, "bounce", "550 5.1.1"))
    await work(worker, "housekeeping")
    async with owner.transaction() as tx:
        assert await tx.value("select address from suppression") == ANNA
        assert await tx.value("select count(*) from mailable") == 0


async def test_whoever_is_erased_while_a_list_comes_in_stays_away(
    place: Place, owner: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R4: the erasure waits for the rows that are coming in, then takes all of it along."""
    anna = await place.reader(ANNA)

    async def erase() -> None:
        async with place.transaction() as tx:
            assert await erase_reader(tx, anna.id)

    async def done_or_waiting() -> bool:
        async with owner.transaction() as tx:
            waits = await tx.value("select exists (select from pg_locks where not granted)")
        return waits or erasing[0].done()

    erasing: list[asyncio.Task[None]] = []
    look = arrivals.erased_among

    async def erased_in_between(tx: Tx, addresses: list[str]):
        found = await look(tx, addresses)
        erasing.append(asyncio.create_task(erase()))
        await until(done_or_waiting)
        return found

    monkeypatch.setattr(arrivals, "erased_among", erased_in_between)
    async with place.transaction() as tx:
        await import_readers(tx, [Arrival(1, ANNA, "", "active")], place.newsletter_id, "from a list")
    await erasing[0]
    async with place.transaction() as tx:
        assert await find_reader(tx, ANNA) is None
