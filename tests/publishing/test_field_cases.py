"""Faults that products of this kind had (sections F and G), on the whole way from a draft to a copy."""

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tzdata import IANA_VERSION

from app.answers import rendering
from app.base.database import Database
from app.base.fields import OPEN
from app.base.zones import moment_of
from app.broadcasts.queries import target_of
from app.ledger import delivery, record_chunk
from app.ledger.contents import mail_for
from app.ledger.feeder import DeliverSends
from app.mail import Mail
from app.publishing import Email
from tests.ledger.makers import Audience, Told, permit
from tests.posts.clients import served
from tests.posts.makers import Desk, make_desk, make_post
from tests.publishing.makers import counts, make_readers, press_of, press_publish
from tests.publishing.test_pages import hidden
from tests.publishing.test_schedule import ahead, look, run, wait_for


async def copies(worker: Database, desk: Desk) -> dict[str, Mail]:
    """The copies of the only email, as they are handed over, by address."""
    async with worker.transaction(desk.account_id) as tx:
        target = await target_of(tx, await tx.value("select id from broadcast"))
        assert target
        await record_chunk(tx, target.mailing_id, target.readers())
    order = DeliverSends(target.mailing_id, 10)
    work = await permit(worker, Audience(desk.account_id, desk.newsletter_id), order)
    batch = await delivery.claim(work, order, Told())
    assert batch
    made = [mail_for(batch.content, batch.id, blanks, batch.called_at) for blanks in batch.blanks]
    return {mail.to: mail for mail in made}


async def named(web: Database, desk: Desk, names: dict[str, str]) -> None:
    async with web.transaction(desk.account_id) as tx:
        for email, name in names.items():
            await tx.execute("update reader set name = :name where email = :email", name=name, email=email)


async def test_a_scheduled_email_fills_each_name_or_its_fallback(
    web: Database, worker: Database, owner: Database
) -> None:
    """F: readers saw a placeholder; many have no name; it was the scheduled send that failed."""
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    await named(web, desk, {"reader1@example.org": "Anna Berg", "reader3@example.org": "\u200b "})
    words = 'Dear {first_name, "friend"}, %recipient.replacement_1% stays.'
    draft = await make_post(web, desk, 'For {name, "you"}', words)
    email = Email(subject='{first_name, "Friend"}, a word', preheader='To {name, "all"}')
    waits = await wait_for(web, desk, press_of(desk, draft.post_id, email=email))
    await ahead(owner, 4)
    await run(worker, desk, waits)
    sent = await copies(worker, desk)
    assert {address: mail.subject for address, mail in sent.items()} == {
        "reader1@example.org": "Anna, a word",
        "reader2@example.org": "Friend, a word",
        "reader3@example.org": "Friend, a word",
    }
    for address, (first, whole, all_) in {
        "reader1@example.org": ("Anna", "Anna Berg", "Anna Berg"),
        "reader2@example.org": ("friend", "you", "all"),
        "reader3@example.org": ("friend", "you", "all"),
    }.items():
        mail = sent[address]
        for body in (mail.text or "", mail.html or ""):
            assert f"Dear {first}, %recipient.replacement_1% stays." in body
            assert f"For {whole}" in body
            assert OPEN not in body
            assert "first_name" not in body
        assert f"To {all_}" in (mail.html or "")


BLOCKS = (
    "{}", "## {}", "> {}", "- {}", "1. {}", "| {} |\n|---|\n| {} |", "**{}** and `{}`", "<div>\n{}\n</div>",
    "<p title=\"{}\">{}</p>", ":::callout\n{}\n:::", ":::button\n[{}](https://example.org/?who={})\n:::",
    "Note[^1]\n\n[^1]: {}", "![{}](/media/a.png)", "[{}](https://example.org/)", "```\n{}\n```",
)  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"),
    [("{name}", "Ann"), ('{first_name, "you"}', "Ann"), ("{email}", "reader1@example.org")],
)
async def test_each_field_in_each_kind_of_block_is_saved_and_filled(
    web: Database, worker: Database, field: str, value: str
) -> None:
    """F: a template could not be saved with a tag in an HTML block."""
    desk = await make_desk(web)
    await make_readers(web, desk, 1)
    await named(web, desk, {"reader1@example.org": "Ann"})
    draft = await make_post(web, desk)
    words = "\n\n".join(block.replace("{}", field) for block in BLOCKS)
    async with served(web, desk) as here:
        form = {"version": "1", "title": field, "markdown": words}
        saved = await here.studio.post(f"posts/{draft.post_id}", data=form)
        assert saved.status_code == 303, saved.text
        assert words in (await here.api.get(f"posts/{draft.post_id}")).json()["markdown"].replace(
            "\r\n", "\n"
        )
        for reader in ("paid", "nameless"):
            preview = await here.studio.get(f"posts/{draft.post_id}/preview/mail?reader={reader}")
            assert (preview.status_code, OPEN in preview.text) == (200, False)
    await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    (mail,) = (await copies(worker, desk)).values()
    assert mail.subject == value
    for body in (mail.text or "", mail.html or ""):
        assert body.count(value) >= len(BLOCKS)
        assert OPEN not in body


@pytest.mark.parametrize(
    ("zone", "asked_on", "wall", "due"),
    [
        ("America/New_York", "2027-10-24T21:00", "2027-11-08T14:00", "2027-11-08T19:00"),
        ("Europe/Berlin", "2027-10-30T22:00", "2027-11-01T09:00", "2027-11-01T08:00"),
        ("Europe/Berlin", "2027-10-30T22:00", "2027-10-31T02:30", "2027-10-31T00:30"),
    ],
)
async def test_what_is_due_after_the_clocks_went_back_goes_out_at_its_instant_and_once(
    web: Database, worker: Database, owner: Database, zone: str, asked_on: str, wall: str, due: str
) -> None:
    """G: asked for before the autumn change, it was put off by an hour each hour after it."""
    at = datetime.fromisoformat(due).replace(tzinfo=UTC)

    async def now(moment: datetime) -> None:
        async with owner.transaction() as tx:
            there: datetime = await tx.value("select godwit_now()")
        await ahead(owner, (moment - there) / timedelta(hours=1))

    desk = await make_desk(web)
    draft = await make_post(web, desk)
    await now(datetime.fromisoformat(asked_on).replace(tzinfo=UTC))
    when = moment_of(datetime.fromisoformat(wall), zone)
    waits = await wait_for(web, desk, press_of(desk, draft.post_id, email=None), when)
    async with owner.transaction() as tx:
        assert await tx.value("select run_at from job where kind = 'publish_scheduled'") == at
    await now(at - timedelta(minutes=1))
    await run(worker, desk, waits)
    assert (await look(web, desk, waits)).state == "waiting"
    await now(at + timedelta(minutes=1))
    await run(worker, desk, waits)
    await now(at + timedelta(hours=1, minutes=1))
    await run(worker, desk, waits)
    shown = await look(web, desk, waits)
    assert (shown.state, shown.at, shown.release) == ("done", at, 1)
    assert shown.ended_at
    assert timedelta(0) <= shown.ended_at - at < timedelta(minutes=5)


@pytest.fixture(params=["body.html", "body.txt"])
def without_a_way_out(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Templates as they would be if somebody lost the link of one of an email's bodies."""
    shutil.copytree(rendering.TEMPLATES, tmp_path / "templates")
    body = tmp_path / "templates/email/broadcast" / request.param
    body.write_text(body.read_text("utf-8").replace("{{ unsubscribe_url }}", "https://example.org/"), "utf-8")
    monkeypatch.setattr(rendering, "TEMPLATES", tmp_path / "templates")
    rendering._environment.cache_clear()
    yield
    rendering._environment.cache_clear()


@pytest.mark.usefixtures("without_a_way_out")
async def test_a_mail_without_its_unsubscribe_link_is_told_and_leaves_by_no_door(
    web: Database, worker: Database, owner: Database
) -> None:
    """F: all mails left with a raw placeholder where the link should be."""
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft, later = await make_post(web, desk), await make_post(web, desk, "Later")
    waits = await wait_for(web, desk, press_of(desk, later.post_id))
    async with served(web, desk) as here:
        shown = await here.studio.get(f"posts/{draft.post_id}/publish?where=mail")
        assert "The email: The email would have no unsubscribe link" in shown.text
        form = hidden(shown.text) | {"where": "both"}
        pressed = await here.studio.post(f"posts/{draft.post_id}/publish", data=form)
        assert (pressed.status_code, "no unsubscribe link" in pressed.text) == (422, True)
        program = await here.api.post(f"posts/{draft.post_id}/publish", json={"site": True, "email": {}})
        assert (program.status_code, "no unsubscribe link" in program.text) == (422, True)
    await ahead(owner, 4)
    await run(worker, desk, waits)
    told = await look(web, desk, waits)
    assert (told.state, "no unsubscribe link" in (told.reason or "")) == ("failed", True)
    assert await counts(web, desk) == {
        "revision": 1, "release": 0, "broadcast": 0, "mailing": 0, "publication": 0,
    }  # fmt: skip


async def test_the_docs_say_which_zone_data_times_follow(web: Database) -> None:
    """G: old data showed São Paulo an hour off; ours comes along, and its version is told."""
    desk = await make_desk(web)
    async with served(web, desk) as here:
        page = await here.studio.get(str(here.api.base_url.copy_with(path="/api/docs")))
    assert page.status_code == 200
    assert f'data-figure="zones" data-value="{IANA_VERSION}"' in page.text
    assert re.fullmatch(r"20\d\d[a-z]", IANA_VERSION)
