"""Four kinds of reader at a site, and a post that not all of them may read."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from app.base import clock
from app.base.database import Database
from app.plans import grant, plan_named
from app.posts import Writing, create_post
from app.readers import READER_COOKIE, Consent, NewReader, add_reader
from app.readers.sessions import start_session
from tests.posts.makers import Desk, publish_post

OPEN, KEPT = "The tide goes out at nine.", "The nest is under the third post."
MARKDOWN = (
    f"{OPEN}\n\n<!--paywall-->\n\n{KEPT}\n\n## What is kept\n\n[A secret place](https://kept.example/)\n"
)
KINDS = ("stranger", "free", "paid", "ended")


@dataclass(frozen=True)
class Crowd:
    """Cookies of each kind (the stranger's is empty), the readers' ids, and the plan."""

    cookies: dict[str, str]
    ids: dict[str, UUID]
    plan_id: UUID


async def a_crowd(web: Database, desk: Desk) -> Crowd:
    """A stranger, a free reader, one with Gold, one whose Gold by hand has ended."""
    cookies, ids = {"stranger": ""}, {}
    now = clock.now()
    async with web.transaction(desk.account_id) as tx:
        gold = await plan_named(tx, "gold", "Gold")
        for kind in KINDS[1:]:
            new = NewReader(f"{kind}@example.org", (desk.newsletter_id,), Consent("a form"), "api")
            ids[kind] = (await add_reader(tx, new)).reader_id
            cookies[kind] = f"{READER_COOKIE}={await start_session(tx, ids[kind])}"
        await grant(tx, ids["paid"], gold, source="comp", reason="a test")
        ended = {"starts_at": now - timedelta(days=9), "ends_at": now - timedelta(seconds=1)}
        await grant(tx, ids["ended"], gold, source="comp", reason="a test", **ended)
    return Crowd(cookies, ids, gold)


async def kept_post(
    web: Database, desk: Desk, access: str, plan_id: UUID | None = None, markdown: str = MARKDOWN
) -> UUID:
    """A live post with this access."""
    writing = Writing("Where they nest", markdown, tags=("Nests",), access=access, plan_id=plan_id)
    async with web.transaction(desk.account_id) as tx:
        draft = await create_post(tx, writing, desk.creator_id)
    await publish_post(web, desk, draft)
    return draft.post_id
