"""A worker dies or freezes while it reads an email's audience, two others beside it (L2, E2)."""

from uuid import uuid4

import pytest

from app.broadcasts import broadcast_view
from app.ledger.build import CHUNK
from tests.crash.crew import Terms
from tests.crash.mailings import Mailing
from tests.ledger.makers import Audience
from tests.posts.makers import make_desk, make_post
from tests.publishing.makers import make_readers, press_of, press_publish

pytestmark = pytest.mark.anyio
TERMS = Terms(queues="build")
#: The second chunk of them is not whole.
READERS = CHUNK + 200
BUILD = "build_broadcast"
_BUILDING = """
select count(*) from job
where account_id = :account and kind = 'build_broadcast' and state in ('ready', 'leased')
"""


async def published(mailing: Mailing) -> None:
    """A post is published to site and readers; whoever of the crew is next reads the audience."""
    desk = await make_desk(mailing.web, f"a{uuid4().hex[:10]}")
    await make_readers(mailing.web, desk, READERS)
    draft = await make_post(mailing.web, desk)
    pressed = await press_publish(mailing.web, press_of(desk, draft.post_id), desk.account_id)
    assert pressed.broadcast_id is not None
    async with mailing.web.transaction(desk.account_id) as tx:
        view = await broadcast_view(tx, pressed.broadcast_id)
    assert view is not None
    mailing.audience, mailing.readers = Audience(desk.account_id, desk.newsletter_id), READERS
    mailing.id = view.mailing.id


async def each_is_planned_once(mailing: Mailing) -> None:
    """The audience is whole, nobody reads it any more, and its figures are its rows (L7)."""

    async def over() -> bool:
        built = await mailing.asked("select built_at is not null from mailing where id = :id", id=mailing.id)
        return built and not await mailing.asked(_BUILDING, account=mailing.audience.account_id)

    await mailing.all_of(over)
    view = await mailing.view()
    assert (view.state, view.figures.planned) == ("sending", READERS)
    assert await mailing.asked("select count(*) from send where mailing_id = :id", id=mailing.id) == READERS


@pytest.mark.parametrize(
    ("place", "at", "after"),
    [
        ("jobs", "after_claim", 0),
        ("ledger", "after_chunk", 0),
        ("ledger", "after_chunk", 1),
        ("jobs", "before_settle", 0),
        ("jobs", "after_settle", 0),
    ],
)
async def test_killed_while_it_reads_the_audience_another_goes_on_behind_the_last_chunk(
    mailing: Mailing, place: str, at: str, after: int
) -> None:
    """L2, L7, E2: a chunk is there with the cursor behind it, or not at all."""
    await mailing.strike("kill", place, at, BUILD, after=after)
    await published(mailing)
    [dead] = await mailing.struck()
    await mailing.over(dead)
    await each_is_planned_once(mailing)


@pytest.mark.parametrize("after", [0, 1])
async def test_frozen_between_chunks_what_it_reads_when_it_wakes_changes_nothing(
    mailing: Mailing, after: int
) -> None:
    """L1, L2, E3, E4: another read the rest meanwhile, and all are sent."""
    await mailing.strike("stop", "ledger", "after_chunk", BUILD, after=after)
    await published(mailing)
    [frozen] = await mailing.struck()
    await mailing.over(frozen)
    await each_is_planned_once(mailing)
    await mailing.woken(frozen)
    await each_is_planned_once(mailing)
