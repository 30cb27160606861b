"""The home page: one sentence on what goes out, what needs somebody, the first steps of an empty account."""

from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from app.publishing import Email
from tests.broadcasts.makers import Studio, a_studio, an_empty_mailbox
from tests.ledger.makers import working
from tests.posts.makers import make_post
from tests.publishing.makers import press_of, press_publish
from tests.publishing.test_schedule import wait_for
from tests.waiting import until
from tests.web_server import serving
from workers import catalog

pytestmark = pytest.mark.anyio


@pytest.fixture
async def godwit(owner: Database) -> AsyncIterator[str]:
    catalog.load()
    async with an_empty_mailbox(owner), serving() as url:
        yield url


@pytest.fixture
async def studio(godwit: str, web: Database, worker: Database) -> AsyncIterator[Studio]:
    async with a_studio(godwit, web, worker) as made:
        yield made


async def home(studio: Studio) -> str:
    answer = await studio.page.get(studio.at())
    assert answer.status_code == 200
    return answer.text


async def test_an_empty_account_is_shown_three_steps(godwit: str, web: Database, worker: Database) -> None:
    async with a_studio(godwit, web, worker, slug="fresh", readers=0) as fresh:
        shown = await home(fresh)
        assert "Nothing is going out." in shown
        assert "Three steps to your first email" in shown
        assert "From Ghost, Substack, Mailchimp, or any table." in shown
        assert "hx-sse:connect" not in shown
        assert shown.count('<li data-state="done">') == 0
        await make_post(web, fresh.desk, "Autumn reading")
        shown = await home(fresh)
        assert shown.count('<li data-state="done">') == 1
        assert "Autumn reading" in shown


async def test_what_goes_out_is_the_first_sentence(studio: Studio) -> None:
    broadcast_id = await studio.press("Mudflats")
    await studio.read_audience(broadcast_id)
    shown = await home(studio)
    assert "<em>Mudflats</em> is going out: 0 of 12" in shown
    assert 'data-figure="waiting" data-value="12"' in shown
    assert "Three steps" not in shown


async def test_an_email_can_be_undone_from_home_while_there_is_time(studio: Studio) -> None:
    draft = await make_post(studio.web, studio.desk, "Mudflats")
    press = press_of(studio.desk, draft.post_id, email=Email(undo_seconds=300))
    broadcast_id = (await press_publish(studio.web, press, studio.desk.account_id)).broadcast_id
    url = studio.at(f"/broadcasts/{broadcast_id}/cancel")
    shown = await home(studio)
    assert f'action="{url}"' in shown
    assert ">Undo</button>" in shown
    assert (await studio.page.post(url)).status_code == 303
    assert ">Undo</button>" not in await home(studio)


async def test_what_presses_stands_first_and_what_one_may_write_last(studio: Studio) -> None:
    """Product: needs you, the last one, the next scheduled, readers, drafts."""
    await studio.press("Mudflats")
    desk = studio.desk
    draft = await make_post(studio.web, desk, "Later")
    await wait_for(studio.web, desk, press_of(desk, draft.post_id))
    async with studio.web.transaction(desk.account_id) as tx:
        await tx.execute("update mailing set state = 'cancelled', finished_at = godwit_now()")
    shown = await home(studio)
    parts = ("needs", "latest", "next", "readers", "drafts")
    assert sorted(parts, key=lambda part: shown.index(f'id="{part}"')) == list(parts)


async def test_the_last_one_stands_below_when_it_is_over(studio: Studio) -> None:
    await studio.press("Mudflats")

    async def over() -> str | None:
        shown = await home(studio)
        return shown if 'data-state="balanced"' in shown else None

    async with working(studio.worker):
        shown = await until(over)
    assert "Nothing is going out." in shown
    assert "The last one" in shown
    assert 'data-figure="readers" data-value="12"' in shown
    assert "12 joined in 7 days" in shown


async def test_a_missing_postal_address_and_a_failed_import_need_somebody(
    studio: Studio, owner: Database
) -> None:
    assert "Nothing needs you." in await home(studio)
    async with owner.transaction() as tx:
        await tx.execute("update account set postal_address = '' where id = :id", id=studio.desk.account_id)
        await tx.execute(
            "insert into import (account_id, id, newsletter_id, format, file_name, size, state, reason,"
            " made_by_name, finished_at) values (:id, gen_random_uuid(), :newsletter, 'ghost', 'list.csv', 1,"
            " 'failed', 'it is not a CSV', 'Ana', godwit_now())",
            id=studio.desk.account_id,
            newsletter=studio.desk.newsletter_id,
        )
    shown = await home(studio)
    assert 'data-need="postal_address"' in shown
    assert 'data-need="import"' in shown
    assert "it is not a CSV" in shown


async def test_an_email_that_is_paused_needs_somebody(studio: Studio, owner: Database) -> None:
    await studio.press("Mudflats")
    async with owner.transaction() as tx:
        await tx.execute("update mailing set state = 'paused', reason = 'the provider is away'")
    shown = await home(studio)
    assert 'data-need="paused"' in shown
    assert "the provider is away" in shown
