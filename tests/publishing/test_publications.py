"""The one press: everything or nothing, once."""

import asyncio
from dataclasses import replace

import pytest

from app.base.database import Database
from app.base.errors import Conflict, Invalid
from app.posts import StaleVersion, Writing, save_draft
from app.publishing import CountChanged, Email, publish
from tests.posts.makers import make_desk, make_post
from tests.publishing.makers import counts, make_readers, press_of, press_publish

NOTHING = {"revision": 0, "release": 0, "broadcast": 0, "mailing": 0, "publication": 0}
ONE = dict.fromkeys(NOTHING, 1)


async def test_two_presses_of_one_button_at_one_instant_publish_once(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    draft = await make_post(web, desk)
    press = press_of(desk, draft.post_id, version=1)
    answers = await asyncio.gather(*(press_publish(web, press, desk.account_id) for _ in range(5)))
    assert len(set(answers)) == 1
    assert answers[0].release == 1
    assert answers[0].broadcast_id is not None
    assert await counts(web, desk) == ONE


async def test_a_second_press_later_gets_the_first_answer(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 1)
    draft = await make_post(web, desk)
    press = press_of(desk, draft.post_id, version=1)
    first = await press_publish(web, press, desk.account_id)
    async with web.transaction(desk.account_id) as tx:
        await save_draft(tx, draft.post_id, 1, Writing("Changed since", "words"), desk.creator_id)
    assert await press_publish(web, press, desk.account_id) == first
    assert await counts(web, desk) == ONE


async def test_a_rolled_back_press_publishes_nothing(web: Database) -> None:
    """W1, E1."""
    desk = await make_desk(web)
    await make_readers(web, desk, 1)
    draft = await make_post(web, desk)
    async with web.transaction(desk.account_id) as tx:
        await publish(tx, press_of(desk, draft.post_id))
        await tx.connection.execute("rollback")
    assert await counts(web, desk) == NOTHING
    assert (await press_publish(web, press_of(desk, draft.post_id), desk.account_id)).release == 1


async def test_a_stale_version_is_not_published(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with web.transaction(desk.account_id) as tx:
        await save_draft(tx, draft.post_id, 1, Writing("Mine", "mine"), desk.creator_id)
    with pytest.raises(StaleVersion):
        await press_publish(web, press_of(desk, draft.post_id, version=1, email=None), desk.account_id)
    assert await counts(web, desk) == NOTHING


async def test_a_post_goes_to_a_newsletter_once_unless_asked_again(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft = await make_post(web, desk)
    first = await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    with pytest.raises(Conflict, match=str(first.broadcast_id)):
        await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    assert await counts(web, desk) == ONE
    again = press_of(desk, draft.post_id, site=False, email=Email(again=True))
    second = await press_publish(web, again, desk.account_id)
    assert second.release is None
    assert second.broadcast_id not in (None, first.broadcast_id)


async def test_two_different_presses_at_one_instant_mail_once(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft = await make_post(web, desk)
    done = await asyncio.gather(
        *(press_publish(web, press_of(desk, draft.post_id), desk.account_id) for _ in range(3)),
        return_exceptions=True,
    )
    assert sorted(type(one).__name__ for one in done) == ["Conflict", "Conflict", "Publication"]
    assert await counts(web, desk) == ONE


async def test_nobody_in_the_audience_publishes_nothing(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 3, state="unsubscribed")
    draft = await make_post(web, desk)
    with pytest.raises(Invalid, match="Nobody would get it"):
        await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    assert await counts(web, desk) == NOTHING


@pytest.mark.parametrize(("now", "asks"), [(1000, False), (1010, False), (1011, True), (980, True)])
async def test_a_count_that_changed_by_over_a_hundredth_asks_again(
    web: Database, now: int, asks: bool
) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, now)
    draft = await make_post(web, desk)
    press = press_of(desk, draft.post_id, email=Email(shown=1000))
    if not asks:
        assert (await press_publish(web, press, desk.account_id)).broadcast_id
        return
    with pytest.raises(CountChanged, match=f"{now:,} readers") as changed:
        await press_publish(web, press, desk.account_id)
    assert changed.value.will == now
    assert await counts(web, desk) == NOTHING


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"site": False, "email": None}, "Choose where it goes"),
        ({"email": Email(newsletter="no-such")}, "no newsletter"),
        ({"email": Email(subject="s" * 256)}, "at most 255"),
        ({"email": Email(subject="a\0b")}, "NUL"),
    ],
)
async def test_what_cannot_go_out_is_told(web: Database, changes: dict[str, object], words: str) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 1)
    draft = await make_post(web, desk)
    with pytest.raises(Invalid, match=words):
        await press_publish(web, press_of(desk, draft.post_id, **changes), desk.account_id)
    assert await counts(web, desk) == NOTHING


async def test_an_untitled_post_is_not_published(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, "")
    with pytest.raises(Invalid, match=r"Give the post a title\."):
        await press_publish(web, press_of(desk, draft.post_id, email=None), desk.account_id)


async def test_a_key_belongs_to_one_post(web: Database) -> None:
    desk = await make_desk(web)
    one, other = await make_post(web, desk, "One"), await make_post(web, desk, "Other")
    press = press_of(desk, one.post_id, email=None)
    await press_publish(web, press, desk.account_id)
    with pytest.raises(Conflict, match="another post"):
        await press_publish(web, replace(press, post_id=other.post_id), desk.account_id)
    assert await counts(web, desk) == ONE | {"broadcast": 0, "mailing": 0}
