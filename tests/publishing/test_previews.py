"""What goes out is shown before: site and mail, as whom you like, and as a test mail (field case F)."""

import pytest

from app.base.database import Database
from app.base.settings import settings
from app.limits import refuse_over
from app.posts import Writing, create_post, last_test_mail, save_draft
from app.publishing.test_mails import AN_HOUR
from tests.posts.clients import served
from tests.posts.makers import Desk, make_desk

TEXT = 'Dear {first_name, "friend"}.\n\n<!--paywall-->\n\nSECRET words.'
_QUEUED = "select args from job where kind = 'send_message' order by id"


async def paid_post(web: Database, desk: Desk, markdown: str = TEXT) -> str:
    async with web.transaction(desk.account_id) as tx:
        made = await create_post(tx, Writing("The bird", markdown, access="paid"), desk.creator_id)
    return f"posts/{made.post_id}"


@pytest.mark.parametrize(
    ("reader", "seen", "unseen"),
    [
        ("paid", ("Dear Anna", "SECRET"), (">Read on<",)),
        ("nameless", ("Dear friend", "SECRET"), (">Read on<",)),
        ("free", ("Dear Anna", ">Read on<"), ("SECRET",)),
    ],
)
async def test_each_reader_is_shown_what_they_would_get(
    web: Database, reader: str, seen: tuple[str, ...], unseen: tuple[str, ...]
) -> None:
    desk = await make_desk(web)
    where = await paid_post(web, desk)
    async with served(web, desk) as here:
        mail = (await here.studio.get(f"{where}/preview/mail?reader={reader}")).text
        page = (await here.studio.get(f"{where}/preview?reader={reader}")).text
        typed = {"title": "T", "markdown": TEXT, "access": "paid", "reader": reader}
        live = (await here.studio.post(f"{where}/preview", data=typed)).text
    assert all(words in mail for words in seen)
    assert not any(words in mail for words in unseen)
    assert ("SECRET" in page, "SECRET" in live) == ("SECRET" in seen, "SECRET" in seen)


async def test_a_test_mail_goes_to_whoever_asks_marked_and_with_its_version(web: Database) -> None:
    desk = await make_desk(web)
    where = await paid_post(web, desk)
    async with served(web, desk) as here:
        answer = await here.studio.post(f"{where}/test", data={"as": "full"}, headers={"HX-Request": "true"})
        assert 'data-figure="test-version" data-value="1"' in answer.text
        await here.studio.post(f"{where}/test", data={"as": "preview"})
        shown = (await here.studio.get(where)).text
        assert "version <span" in shown
    async with web.transaction(desk.account_id) as tx:
        full, preview = [row.args for row in await tx.rows(_QUEUED)]
    assert (full["to"], full["subject"]) == ("tidelines@example.org", "[Test] The bird")
    assert "Dear Ana" in full["html"]
    assert ("SECRET" in full["text"], "SECRET" in preview["text"], "SECRET" in preview["html"]) == (
        True,
        False,
        False,
    )


async def test_a_test_mail_says_when_the_text_was_saved_again_since(web: Database) -> None:
    desk = await make_desk(web)
    async with web.transaction(desk.account_id) as tx:
        made = await create_post(tx, Writing("The bird", "One"), desk.creator_id)
    async with served(web, desk) as here:
        await here.studio.post(f"posts/{made.post_id}/test", data={})
        async with web.transaction(desk.account_id) as tx:
            await save_draft(tx, made.post_id, 1, Writing("The bird", "Two"), desk.creator_id)
            last = await last_test_mail(tx, made.post_id)
        assert "saved again since" in (await here.studio.get(f"posts/{made.post_id}")).text
    assert last is not None
    assert (last.version, last.address, last.sent_by_name) == (1, "tidelines@example.org", "Ana Moreau")


async def test_an_empty_post_is_not_mailed(web: Database) -> None:
    desk = await make_desk(web)
    async with web.transaction(desk.account_id) as tx:
        made = await create_post(tx, Writing(), desk.creator_id)
    async with served(web, desk) as here:
        answer = await here.studio.post(f"posts/{made.post_id}/test", data={})
    assert answer.status_code == 422
    assert "Give the post a title" in answer.text


async def test_whoever_sends_themselves_test_mails_all_day_is_told_when_the_next_can_go(
    web: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GODWIT_MODE", "development")
    settings.cache_clear()
    desk = await make_desk(web)
    where = await paid_post(web, desk)
    async with web.transaction() as tx:
        for _ in range(AN_HOUR - 1):
            await refuse_over(tx, f"test mails {desk.creator_id}", AN_HOUR, 3600, "hour")
    async with served(web, desk) as here:
        assert (await here.studio.post(f"{where}/test", data={"as": "full"})).status_code == 303
        for headers in ({}, {"HX-Request": "true"}):
            answer = await here.studio.post(f"{where}/test", data={"as": "full"}, headers=headers)
            assert answer.status_code == 429
            assert "You sent yourself 20 test mails within an hour" in answer.text
            assert "The next can go in 3 minutes." in answer.text
            assert 0 < int(answer.headers["retry-after"]) <= 180
    async with web.transaction(desk.account_id) as tx:
        assert len(await tx.rows(_QUEUED)) == 1
