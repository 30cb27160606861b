"""A publication with readers, a browser signed in, a program with a key, and one email just pressed."""

import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

import httpx

from app.accounts import create_api_key, session_cookie, start_session
from app.base.database import Database
from app.broadcasts import broadcast_view
from app.ledger import delivery
from app.ledger.feeder import DeliverSends
from app.mail import Accepted, Outcome, Refused, current_provider
from app.mail.directory import _kept
from tests.ledger.makers import Audience, Told, build, permit
from tests.posts.makers import Desk, make_desk, make_post
from tests.publishing.makers import make_readers, press_of, press_publish
from tests.web_server import browser, client_of

WORDS = 'Hello {first_name, "friend"}. It does not *land*, and %recipient.name% stays.'


@dataclass(frozen=True)
class Studio:
    """Ana's desk. `page` and `api` talk to the same server."""

    web: Database
    worker: Database
    desk: Desk
    page: httpx.AsyncClient
    api: httpx.AsyncClient

    def at(self, path: str = "") -> str:
        """A page of this studio."""
        return f"/studio/{self.desk.slug}{path}"

    async def press(self, title: str = "The bird", words: str = WORDS) -> UUID:
        """Write a post, publish it to site and readers; the email's id."""
        draft = await make_post(self.web, self.desk, title, words)
        done = await press_publish(self.web, press_of(self.desk, draft.post_id), self.desk.account_id)
        assert done.broadcast_id is not None
        return done.broadcast_id

    async def read_audience(self, broadcast_id: UUID) -> None:
        """Build the email's audience, and hand nothing over."""
        audience = Audience(self.desk.account_id, self.desk.newsletter_id)
        await build(self.worker, audience, await mailing_of(self, broadcast_id))

    async def reader_id(self, email: str) -> UUID:
        """Who has this address."""
        async with self.web.transaction(self.desk.account_id) as tx:
            return await tx.value("select id from reader where email = :email", email=email)


async def mailing_of(studio: Studio, broadcast_id: UUID) -> UUID:
    """The mailing of an email."""
    async with studio.web.transaction(studio.desk.account_id) as tx:
        view = await broadcast_view(tx, broadcast_id)
    assert view is not None
    return view.mailing.id


async def handed(
    studio: Studio, broadcast_id: UUID, n: int, outcome: Outcome, provider: Told | None = None
) -> None:
    """One call for `n` copies, and what the provider says to it."""
    provider = provider or Told()
    audience = Audience(studio.desk.account_id, studio.desk.newsletter_id)
    wanted = DeliverSends(await mailing_of(studio, broadcast_id), n)
    work = await permit(studio.worker, audience, wanted)
    batch = await delivery.claim(work, wanted, provider)
    assert batch is not None
    await delivery.settle(work, batch, outcome, provider)


async def in_state(studio: Studio, state: str) -> UUID:
    """An email to twelve in that state; of those begun two copies failed."""
    broadcast_id = await studio.press(f"Letter {random.random()}")
    if state == "building":
        return broadcast_id
    await studio.read_audience(broadcast_id)
    await handed(studio, broadcast_id, 2, Refused("no such user"))
    if state == "finished":
        await handed(studio, broadcast_id, 10, Accepted())
    if state in ("paused", "cancelled"):
        act = {"paused": "pause", "cancelled": "cancel"}[state]
        assert (await studio.api.post(f"/broadcasts/{broadcast_id}/{act}")).status_code == 200
    return broadcast_id


@asynccontextmanager
async def a_studio(
    url: str, web: Database, worker: Database, *, slug: str = "tidelines", readers: int = 12
) -> AsyncIterator[Studio]:
    """A studio with so many readers."""
    desk = await make_desk(web, slug)
    if readers:
        await make_readers(web, desk, readers)
    async with web.transaction() as tx:
        token = await start_session(tx, desk.creator_id)
    async with web.transaction() as tx:
        key = await create_api_key(tx, slug=slug, name="a test")
    cookie = session_cookie(token)
    program = client_of(f"{url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=20)
    async with browser(url, cookies={cookie.key: token}) as page, program as api:
        yield Studio(web, worker, desk, page, api)


@asynccontextmanager
async def an_empty_mailbox(owner: Database) -> AsyncIterator[None]:
    """The provider of this test's own loop, with nothing in its mailbox and no fault ordered."""
    async with owner.transaction() as tx:
        await tx.execute("delete from mailbox.mail")
        await tx.execute("delete from mailbox.fault")
    _kept.cache_clear()
    try:
        yield
    finally:
        await current_provider().aclose()
        _kept.cache_clear()


def figures_in(text: str) -> dict[str, int]:
    """The figures on a page or in a message of a stream, by name."""
    found = re.findall(r'data-figure="(\w+)" data-value="(\d+)"', text)
    return {name: int(value) for name, value in found}


def parts_of(figures: dict[str, int]) -> int:
    """What the parts of the bar add up to."""
    return sum(figures[name] for name in ("sent", "skipped", "failed", "unknown", "waiting"))
