"""Endpoints and their secrets: added once, shown once, sealed at rest, rotated with an overlap."""

import asyncio
from uuid import UUID

import pytest

from app import webhooks
from app.base import seal
from app.base.database import Database
from app.base.errors import Conflict, Invalid, NotFound
from tests.webhooks.makers import URL, an_account, an_endpoint, lines, rows, tell

HERE = UUID("0190b3a4-7c1e-7d2f-8a3b-4c5d6e7f8091")


@pytest.fixture(autouse=True)
async def account(owner: Database) -> int:
    return await an_account(owner)


async def test_a_secret_is_shown_once_and_sealed_at_rest(web: Database, owner: Database) -> None:
    """What lies in the database opens with our keys alone, for this one row."""
    made, secret = await an_endpoint(web)
    assert len(secret.removeprefix("whsec_")) == 44
    (kept,) = await rows(owner, "select * from endpoint_secret")
    assert secret.encode() not in bytes(kept.sealed)
    assert seal.key_id_of(bytes(kept.sealed)) == seal.current_key_id()
    with pytest.raises(seal.Unsealable):
        seal.unseal("webhook", bytes(kept.sealed), bound_to=f"8/{made.id}/{kept.id}")
    async with web.transaction(7) as tx:
        assert await webhooks.live_secrets(tx, made.id) == [secret]
        assert await webhooks.endpoints(tx) == [made]
    async with web.transaction(8) as tx:
        assert await webhooks.endpoints(tx) == []
        assert await webhooks.live_secrets(tx, made.id) == []


async def test_the_same_form_sent_twice_adds_one(web: Database) -> None:
    async with web.transaction(7) as tx:
        await webhooks.add_endpoint(tx, webhooks.NewEndpoint(URL, ("*",), id=HERE))
    with pytest.raises(Conflict, match="added already"):
        async with web.transaction(7) as tx:
            await webhooks.add_endpoint(tx, webhooks.NewEndpoint(URL, ("*",), id=HERE))


async def test_an_old_secret_signs_until_its_overlap_is_over(web: Database, owner: Database) -> None:
    made, first = await an_endpoint(web)
    async with web.transaction(7) as tx:
        second = await webhooks.rotate_secret(tx, made.id, 24, newest=made.secrets[0].id)
        assert await webhooks.live_secrets(tx, made.id) == [second, first]
    async with web.transaction(7) as tx:
        third = await webhooks.rotate_secret(tx, made.id, 48)
        assert await webhooks.live_secrets(tx, made.id) == [third, second, first]
    async with owner.transaction() as tx:
        await tx.execute("update clock set ahead = interval '25 hours'")
    async with web.transaction(7) as tx:
        assert await webhooks.live_secrets(tx, made.id) == [third, second], "each by its own overlap"


async def test_without_an_overlap_no_earlier_secret_signs(web: Database) -> None:
    """Whoever says so may have lost any of them."""
    made, _ = await an_endpoint(web)
    async with web.transaction(7) as tx:
        await webhooks.rotate_secret(tx, made.id, 168)
    async with web.transaction(7) as tx:
        third = await webhooks.rotate_secret(tx, made.id, 0)
        assert await webhooks.live_secrets(tx, made.id) == [third]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["release.published"] * 3000, ("release.published",)),
        (["post.published", "release.published"], ("release.published", "post.published")),
        (["post.published", "*"], ("*",)),
    ],
)
async def test_each_event_is_chosen_once(web: Database, given: list[str], kept: tuple[str, ...]) -> None:
    made, _ = await an_endpoint(web, *given)
    assert made.events == kept


@pytest.mark.parametrize("description", ["a\nb", "a\x1bb", "a\u202eb", "x" * 201])
async def test_a_description_is_a_line_that_one_can_see(web: Database, description: str) -> None:
    with pytest.raises(Invalid, match="description"):
        async with web.transaction(7) as tx:
            await webhooks.add_endpoint(tx, webhooks.NewEndpoint(URL, description=description))


async def test_five_secrets_sign_at_most(web: Database) -> None:
    """Each is a signature more in the header of every call."""
    made, _ = await an_endpoint(web)
    async with web.transaction(7) as tx:
        for _ in range(4):
            await webhooks.rotate_secret(tx, made.id, 168)
    with pytest.raises(Conflict, match="5 secrets sign each call already"):
        async with web.transaction(7) as tx:
            await webhooks.rotate_secret(tx, made.id, 1)
    async with web.transaction(7) as tx:
        alone = await webhooks.rotate_secret(tx, made.id, 0)
        assert await webhooks.live_secrets(tx, made.id) == [alone]


async def test_two_who_rotate_at_once_both_get_a_secret_that_signs(web: Database) -> None:
    made, first = await an_endpoint(web)

    async def rotate() -> str:
        async with web.transaction(7) as tx:
            return await webhooks.rotate_secret(tx, made.id, 24)

    new = await asyncio.gather(rotate(), rotate(), rotate())
    async with web.transaction(7) as tx:
        assert set(await webhooks.live_secrets(tx, made.id)) == {first, *new}


async def test_a_publication_has_fifty_however_many_add_at_once(web: Database) -> None:
    async def add(some: int) -> None:
        for _ in range(some):
            async with web.transaction(7) as tx:
                await webhooks.add_endpoint(tx, webhooks.NewEndpoint(URL))

    await add(48)
    ended = await asyncio.gather(*(add(1) for _ in range(4)), return_exceptions=True)
    assert sum(isinstance(one, Conflict) for one in ended) == 2
    async with web.transaction(7) as tx:
        assert len(await webhooks.endpoints(tx)) == 50


async def test_a_secret_is_not_rotated_over_one_that_was_not_seen(web: Database) -> None:
    made, _ = await an_endpoint(web)
    async with web.transaction(7) as tx:
        await webhooks.rotate_secret(tx, made.id, 24)
    with pytest.raises(Conflict, match="changed meanwhile"):
        async with web.transaction(7) as tx:
            await webhooks.rotate_secret(tx, made.id, 24, newest=made.secrets[0].id)


@pytest.mark.parametrize("hours", [-1, 169, 10**12])
async def test_an_overlap_is_a_week_at_most(web: Database, hours: int) -> None:
    made, _ = await an_endpoint(web)
    with pytest.raises(Invalid, match="from 0 to 168"):
        async with web.transaction(7) as tx:
            await webhooks.rotate_secret(tx, made.id, hours)


@pytest.mark.parametrize(
    ("new", "told"),
    [
        (webhooks.NewEndpoint("", ("*",)), "Give the address"),
        (webhooks.NewEndpoint("https://example.com/" + "a" * 2000, ("*",)), "at most 2000"),
        (webhooks.NewEndpoint(URL, ()), "at least one event"),
        (webhooks.NewEndpoint(URL, ("post.burnt",)), "There is no event post.burnt"),
        (webhooks.NewEndpoint(URL, ("endpoint.test",)), "There is no event endpoint.test"),
        (webhooks.NewEndpoint(URL, ("*",), "d" * 201), "at most 200"),
    ],
)
async def test_what_cannot_be_is_refused_in_words(
    web: Database, new: webhooks.NewEndpoint, told: str
) -> None:
    with pytest.raises(Invalid, match=told):
        async with web.transaction(7) as tx:
            await webhooks.add_endpoint(tx, new)


async def test_changing_leaves_what_was_not_given(web: Database) -> None:
    made, _ = await an_endpoint(web, "post.published")
    async with web.transaction(7) as tx:
        changed = await webhooks.change_endpoint(tx, made.id, description="the site")
        assert (changed.url, changed.events, changed.description) == (URL, ("post.published",), "the site")
        changed = await webhooks.change_endpoint(tx, made.id, events=["*"])
        assert (changed.events, changed.description) == (("*",), "the site")


async def test_a_deleted_endpoint_is_gone_with_its_secrets(web: Database, owner: Database) -> None:
    made, _ = await an_endpoint(web)
    async with web.transaction(7) as tx:
        await webhooks.delete_endpoint(tx, made.id)
        assert await webhooks.endpoint_if_there(tx, made.id) is None
        assert not await webhooks.heard(tx)
    assert await rows(owner, "select * from endpoint_secret") == []
    for act in (
        webhooks.delete_endpoint,
        webhooks.pause_endpoint,
        webhooks.resume_endpoint,
        webhooks.send_test,
    ):
        with pytest.raises(NotFound):
            async with web.transaction(7) as tx:
                await act(tx, made.id)


async def test_a_test_goes_to_the_one_endpoint(web: Database) -> None:
    made, _ = await an_endpoint(web, "post.published")
    other, _ = await an_endpoint(web)
    async with web.transaction(7) as tx:
        sent = await webhooks.send_test(tx, made.id)
        found = await webhooks.delivery(tx, sent)
    assert found is not None
    assert (found.line.type, found.line.state, found.line.sequence) == ("endpoint.test", "pending", 1)
    assert b'"type":"endpoint.test"' in found.body
    assert await lines(web, other.id) == []


async def test_nothing_is_announced_where_nobody_hears(web: Database, owner: Database) -> None:
    """No endpoint: no events, no jobs."""
    await tell(web)
    assert await rows(owner, "select * from event") == await rows(owner, "select * from job") == []


async def test_w1_a_change_that_is_undone_announces_nothing(web: Database, owner: Database) -> None:
    """W1: event and job stand or fall with the transaction."""
    await an_endpoint(web)
    with pytest.raises(ZeroDivisionError):
        await _announced_and_undone(web)
    assert await rows(owner, "select * from event") == []
    await tell(web)
    assert len(await rows(owner, "select * from event")) == 1
    assert [row.kind for row in await rows(owner, "select kind from job")] == ["fan_out"]


async def test_what_is_announced_once_is_not_announced_again(web: Database, owner: Database) -> None:
    await an_endpoint(web)
    for _ in range(2):
        await tell(web, once="broadcast.finished:1")
    await tell(web, once="broadcast.finished:2")
    assert len(await rows(owner, "select * from event")) == 2


async def _announced_and_undone(web: Database) -> None:
    async with web.transaction(7) as tx:
        await webhooks.announce(tx, webhooks.News("post.published", {}))
        raise ZeroDivisionError
