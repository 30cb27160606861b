"""What webhooks are told of releases and posts: by the transaction that makes them, as the API does (W1)."""

from typing import Any

import pytest

from app.base.database import Database
from app.posts import Writing, restore_release, save_draft
from app.publishing import publish, publish_due
from tests.announced import listen, rolled_back, told
from tests.posts.clients import Served, served
from tests.posts.makers import Desk, make_desk, make_post, publish_post
from tests.publishing.makers import press_of
from tests.publishing.test_schedule import ahead, wait_for

SITE = "http://tidelines.localhost:8000/"


@pytest.fixture
async def desk(web: Database) -> Desk:
    made = await make_desk(web)
    await listen(web, made.account_id)
    return made


async def pressed(here: Served, post: object, key: str = "one") -> int:
    """The release of a press by the API."""
    answer = await here.api.post(
        f"posts/{post}/publish", json={"site": True}, headers={"Idempotency-Key": key}
    )
    assert answer.status_code == 202, answer.text
    return answer.json()["release"]


def released(number: int, post: object, slug: str, action: str) -> tuple[str, Any]:
    """What `release.published` tells of one post."""
    change = {"post": str(post), "slug": slug, "action": action}
    return ("release.published", {"release": number, "url": SITE, "changes": [change]})


async def test_a_first_publication_is_told_with_the_post_as_the_api_tells_it(
    web: Database, desk: Desk
) -> None:
    """W1: once, however often the button is pressed."""
    post = (await make_post(web, desk, tags=("sea",), access="subscribers")).post_id
    async with served(web, desk) as here:
        assert [await pressed(here, post) for _ in range(3)] == [1, 1, 1]
        shown = (await here.api.get(f"posts/{post}")).json()
    assert (shown["state"], shown["url"]) == ("published", f"{SITE}the-bird")
    assert await told(web, desk.account_id) == [
        released(1, post, "the-bird", "published"),
        ("post.published", {"post": shown}),
    ]


async def test_what_is_on_the_site_already_is_told_as_a_release_alone(web: Database, desk: Desk) -> None:
    """An update is no arrival."""
    draft = await make_post(web, desk)
    async with served(web, desk) as here:
        await pressed(here, draft.post_id)
        async with web.transaction(desk.account_id) as tx:
            await save_draft(tx, draft.post_id, 1, Writing("The bird", "Still flying."), desk.creator_id)
        assert await pressed(here, draft.post_id, "two") == 2
    assert (await told(web, desk.account_id))[2:] == [released(2, draft.post_id, "the-bird", "updated")]


async def test_a_post_that_leaves_is_told_with_the_text_that_was_there(web: Database, desk: Desk) -> None:
    """As the API tells it; a second time it is not there, and nothing is told."""
    post = (await make_post(web, desk)).post_id
    async with served(web, desk) as here:
        await pressed(here, post)
        answers = [(await here.api.post(f"posts/{post}/unpublish")).status_code for _ in range(2)]
        shown = (await here.api.get(f"posts/{post}")).json()
    assert answers == [200, 409]
    assert (shown["state"], shown["url"]) == ("draft", None)
    assert (await told(web, desk.account_id))[2:] == [
        released(2, post, "the-bird", "unpublished"),
        ("post.unpublished", {"post": shown}),
    ]


async def test_what_a_worker_publishes_is_told_as_what_a_person_does(
    web: Database, worker: Database, owner: Database, desk: Desk
) -> None:
    """T2: the worker reads no draft, and tells of it what was frozen as it is."""
    post = (await make_post(web, desk, excerpt="Of birds", slug="birds")).post_id
    waits = await wait_for(web, desk, press_of(desk, post, email=None))
    await ahead(owner, 4)
    for _ in range(2):
        async with worker.transaction(desk.account_id) as tx:
            await publish_due(tx, waits)
    async with served(web, desk) as here:
        shown = (await here.api.get(f"posts/{post}")).json()
    assert (shown["excerpt"], shown["slug"]) == ("Of birds", "birds")
    assert await told(web, desk.account_id) == [
        released(1, post, "birds", "published"),
        ("post.published", {"post": shown}),
    ]


async def test_a_later_draft_is_never_told(
    web: Database, worker: Database, owner: Database, desk: Desk
) -> None:
    """Nobody may read it yet: not by a publication that waited, nor by taking the post off."""
    post = (await make_post(web, desk)).post_id
    waits = await wait_for(web, desk, press_of(desk, post, email=None))
    secret = Writing("Embargo", "Embargo text", slug="embargo", excerpt="Embargo words", tags=("embargo",))
    async with web.transaction(desk.account_id) as tx:
        await save_draft(tx, post, 1, secret, desk.creator_id)
    await ahead(owner, 4)
    async with worker.transaction(desk.account_id) as tx:
        await publish_due(tx, waits)
    async with served(web, desk) as here:
        await here.api.post(f"posts/{post}/unpublish")
    news = await told(web, desk.account_id)
    assert [kind for kind, _ in news] == [
        "release.published", "post.published", "release.published", "post.unpublished",
    ]  # fmt: skip
    assert "embargo" not in str(news).lower()
    came, left = news[1][1]["post"], news[3][1]["post"]
    assert (came["title"], came["markdown"], came["state"]) == ("The bird", "It does not *land*.", "changed")
    assert (left["title"], left["state"], left["slug"], left["url"]) == (
        "The bird",
        "draft",
        "the-bird",
        None,
    )


async def test_an_older_release_that_comes_back_tells_of_each_post(web: Database, desk: Desk) -> None:
    """One release, and what came and went by it."""
    first = await make_post(web, desk, "First")
    await publish_post(web, desk, first)
    second = await make_post(web, desk, "Second")
    await publish_post(web, desk, second)
    before = len(await told(web, desk.account_id))
    async with web.transaction(desk.account_id) as tx:
        made = await restore_release(tx, 1, desk.creator_id, opening=None)
    news = (await told(web, desk.account_id))[before:]
    assert news[0] == released(made.number, second.post_id, "second", "unpublished")
    assert [(kind, data["post"]["id"]) for kind, data in news[1:]] == [
        ("post.unpublished", str(second.post_id))
    ]


async def test_a_publication_that_is_rolled_back_tells_nothing(web: Database, desk: Desk) -> None:
    """W1: and its number is told with the next."""
    post = (await make_post(web, desk)).post_id
    async with rolled_back(web, desk.account_id) as tx:
        await publish(tx, press_of(desk, post, email=None))
    assert await told(web, desk.account_id) == []
    async with web.transaction(desk.account_id) as tx:
        await publish(tx, press_of(desk, post, email=None))
    assert [data["release"] for _, data in await told(web, desk.account_id, "release.published")] == [1]


async def test_only_an_announced_release_carries_its_rank(web: Database, desk: Desk) -> None:
    """E7: the newer release supersedes the older; a post's own event is superseded by nothing."""
    await publish_post(web, desk, await make_post(web, desk))
    async with web.transaction(desk.account_id) as tx:
        rows = await tx.rows("select type, release from event order by id")
    assert [tuple(row) for row in rows] == [("release.published", 1), ("post.published", None)]


async def test_publishing_asks_once_whether_anybody_listens(web: Database) -> None:
    """An account without a webhook pays one cheap statement a release."""
    quiet = await make_desk(web, "quiet")
    draft = await make_post(web, quiet)
    seen: list[str] = []
    async with web.transaction(quiet.account_id) as tx:
        with tx.connection.query_logger(lambda one: seen.append(one.query)):
            await publish(tx, press_of(quiet, draft.post_id, email=None))
    assert len(seen) > 5
    assert len([one for one in seen if "endpoint" in one or "event" in one]) == 1
