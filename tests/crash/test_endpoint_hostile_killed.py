"""Webhooks whose answers are an attack, and workers that die with one in hand: each attempt on record (W4).

A name that flips is not among them: it takes a resolver of one's own (tests/egress/test_attacks.py).
"""

import gzip
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from uuid import UUID

import pytest

from app.webhooks import NewEndpoint, News, add_endpoint, announce
from tests.crash.crew import Stage, Terms
from tests.egress.servers import OK, Say, Server, a_server, endless, saying
from tests.ledger.makers import audience_of

pytestmark = pytest.mark.anyio
TERMS = Terms("webhooks,housekeeping", {"EGRESS_ALLOW": "127.0.0.0/8"})
EVENTS = 3
_BOMB = gzip.compress(bytes(10_000_000))
_UNPACKS = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
ATTACKS: dict[str, Say] = {
    "well": saying(OK),
    "nul": saying(b"HTTP/1.1 500 No\r\nContent-Length: 5\r\n\r\na\x00\xff\xfe\xc0"),
    "bomb": saying(_UNPACKS % len(_BOMB), _BOMB),
    "heads": saying(b"HTTP/1.1 200 OK\r\n", *[b"X-Long: " + b"a" * 1000 + b"\r\n"] * 1000),
    "flood": endless(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", bytes(65536)),
}
#: Their heads are whole, and say 200, whatever comes after.
SUCCESSES = {"well", "bomb", "flood"}
# Who died with an answer in hand has told nobody which it was; and a slow machine may come too late for one.
_AGAIN = """
update job j set run_at = godwit_now() where account_id = :account and state = 'ready'
    and (share = any (:successes) or not exists (
        select from attempt a where a.account_id = j.account_id and a.job_id = j.id and a.outcome <> 'lost'))
"""
_DONE = "select count(*) from job where account_id = :account and kind = 'deliver_webhook' and state = 'done'"
_LATER = "update job set run_at = godwit_now() where account_id = :account and state = 'ready'"
_ON_RECORD = """
select j.share, a.outcome
from job j join attempt a on a.account_id = j.account_id and a.job_id = j.id
where j.account_id = :account and j.kind = 'deliver_webhook'
"""


@dataclass
class Hostile:
    """An account whose webhooks lead to these servers, and a server within that nobody may call."""

    stage: Stage
    account: int
    servers: dict[str, Server]
    shares: dict[str, str]
    within: Server

    async def on_record(self) -> Counter[tuple[str, str]]:
        """(name, outcome) → attempts."""
        async with self.stage.owner.transaction() as tx:
            rows = await tx.rows(_ON_RECORD, account=self.account)
        return Counter((self.shares[row.share], row.outcome) for row in rows)


@pytest.fixture
async def hostile(stage: Stage) -> AsyncIterator[Hostile]:
    account = (await audience_of(stage.web, 0)).account_id
    async with AsyncExitStack() as stack:
        within = await stack.enter_async_context(a_server())
        moved = b"HTTP/1.1 302 Found\r\nLocation: " + within.url().encode() + b"\r\nContent-Length: 0\r\n\r\n"
        says = ATTACKS | {"inward": saying(moved)}
        servers = {name: await stack.enter_async_context(a_server(say)) for name, say in says.items()}
        ids: dict[str, UUID] = {}
        async with stage.web.transaction(account) as tx:
            for name, server in servers.items():
                endpoint, _ = await add_endpoint(tx, NewEndpoint(server.url()))
                ids[name] = endpoint.id
        shares = {f"endpoint:{one}": name for name, one in ids.items()}
        yield Hostile(stage, account, servers, shares, within)


async def test_workers_die_with_such_an_answer_in_hand_and_every_call_is_on_record(
    hostile: Hostile,
) -> None:
    """W4, E2: a head decides; what is none is tried again; nobody is led elsewhere; mended, all arrive."""
    stage = hostile.stage
    await stage.strike("kill", "webhooks", "after_talk", "deliver_webhook", times=2, after=4)
    async with stage.web.transaction(hostile.account) as tx:
        await announce(tx, *(News("reader.confirmed", {"n": n}) for n in range(EVENTS)))
    await stage.all_struck(2)
    successes = [share for share, name in hostile.shares.items() if name in SUCCESSES]

    async def all_tried() -> bool:
        async with stage.owner.transaction() as tx:
            await tx.execute(_AGAIN, account=hostile.account, successes=successes)
        record = await hostile.on_record()
        assert {name for name, outcome in record if outcome == "done"} <= SUCCESSES
        told = {name: record[name, "done" if name in SUCCESSES else "retry"] for name in hostile.servers}
        return min(told.values()) >= EVENTS

    await stage.all_of(all_tried)
    for server in hostile.servers.values():
        server.say = saying(OK)

    async def all_arrived() -> bool:
        async with stage.owner.transaction() as tx:
            await tx.execute(_LATER, account=hostile.account)
        return await stage.asked(_DONE, account=hostile.account) == EVENTS * len(hostile.servers)

    await stage.all_of(all_arrived)
    attempts = Counter[str]()
    for (name, _), n in (await hostile.on_record()).items():
        attempts[name] += n
    for name, server in hostile.servers.items():
        assert EVENTS <= len(server.got) <= attempts[name], f"{name} was called off the record"
    assert hostile.within.connections == 0
