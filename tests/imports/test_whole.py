"""A publication whole: out, into an empty one, and out again the same (whole X1; issue "must show" 4)."""

import contextlib
import io
import zipfile
from datetime import UTC, datetime

import pytest
from sqlalchemy.exc import DBAPIError

from app.base.database import Database
from app.base.errors import Conflict, Invalid
from app.imports.whole import export_everything, is_export, making, restore_everything
from app.plans import grant, plan_named
from app.posts import (
    Writing,
    add_redirect,
    create_post,
    freeze,
    note_image,
    publish_revision,
    restore_release,
    save_draft,
    unpublish,
    write_image,
)
from app.readers import erase_reader, unsubscribe
from app.suppressions import suppress
from app.webhooks import NewEndpoint, add_endpoint, delete_endpoint, endpoints, live_secrets
from tests.accounts.makers import become
from tests.imports.makers import GHOST, first, imported
from tests.imports.test_bringing import sample
from tests.posts.test_media import drawn
from tests.readers.makers import Place, a_place, another_newsletter
from tests.readers.visitors import STUDIO, creator, opened


async def exported(place: Place) -> dict[str, bytes]:
    file = io.BytesIO()
    await export_everything(place.web, place.id, file)
    return files_in(file.getvalue())


def files_in(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files: dict[str, bytes]) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file


async def furnished(web: Database, worker: Database, owner: Database) -> Place:
    """An account with something of everything."""
    place = await a_place(web)
    await another_newsletter(owner, place)
    await imported(place, worker, first(GHOST, 200))
    await imported(place, worker, sample("mailchimp-cleaned.csv"), "mailchimp")
    async with place.transaction() as tx:
        anna = await tx.row("select id, email from reader order by email limit 1")
        ben = await tx.value("select id from reader order by email desc limit 1")
        assert anna
        gold = await plan_named(tx, "gold", "Gold & more")
        await grant(tx, anna.id, gold, source="comp", reason="my editor: “Zoë”", by="Ana")
        await grant(
            tx, anna.id, gold, source="gift", reference="g1", ends_at=datetime(2099, 1, 1, tzinfo=UTC)
        )
        await unsubscribe(tx, anna.id, None, "by the button")
        await suppress(tx, "nobody@example.org", "by_hand", "a detail", by="Ana")
        await erase_reader(tx, ben)
        text = "---\nodd: [front\n---\n\nA *bird*.\r\n\n<!--paywall-->\n\nMore \u0007 \U0001f426\n"
        draft = await create_post(tx, Writing("Der Flug", text, tags=("sea", "a: b"), access="subscribers"))
        await publish_revision(tx, await freeze(tx, draft.post_id, None), None)
        await save_draft(tx, draft.post_id, draft.version, Writing("Der Flug, zwei", "Neu\n", slug="алеф"))
        await publish_revision(tx, await freeze(tx, draft.post_id, None), None)
        await create_post(tx, Writing("Only a draft", ""))
        page = await create_post(tx, Writing("About", "Me.", kind="page"))
        await publish_revision(tx, await freeze(tx, page.post_id, None), None)
        gone = await create_post(tx, Writing("It left", "Off."))
        await publish_revision(tx, await freeze(tx, gone.post_id, None), None)
        await unpublish(tx, gone.post_id, None, "Ana")
        await restore_release(tx, 2, None, "Ana")
        await note_image(tx, await write_image(drawn("PNG"), "a bird.png"))
        await add_redirect(tx, "/p/old", draft.post_id)
        await tx.execute(
            "insert into segment (account_id, id, name, filter) values (:account, gen_random_uuid(), 'Sea',"
            " jsonb_build_object('tag', 'sea', 'newsletter', (select id from newsletter where is_default)))",
            account=place.id,
        )
    return place


async def test_out_in_and_out_again_is_the_same_but_for_ids(
    web: Database, worker: Database, owner: Database
) -> None:
    """X1: byte for byte; nothing in it is an id."""
    place = await furnished(web, worker, owner)
    there = await exported(place)
    assert len(there["readers.jsonl"].splitlines()) == 219
    assert {"posts/0001-алеф/1.md", "posts/0001-алеф/2.html", "posts/0002-draft/post.md"} <= set(there)
    assert [name for name in there if name.startswith("media/")] != []
    other = await a_place(web, "elsewhere")
    async with other.transaction() as tx:
        assert await restore_everything(tx, zipped(there)) == 224
    assert await exported(other) == there
    async with owner.transaction() as tx:
        ids = [str(row.id) for row in await tx.rows("select id from reader union select id from plan")]
    told = b"".join(text for name, text in there.items() if not name.startswith("media/")).decode()
    assert not [one for one in ids if one in told]


async def test_webhooks_come_back_paused_with_secrets_of_their_own(web: Database, owner: Database) -> None:
    """X1: address, words and events go along, no secret does, and the second way is the same."""
    place, other = await a_place(web), await a_place(web, "elsewhere")
    async with place.transaction() as tx:
        first, secret = await add_endpoint(
            tx, NewEndpoint("https://a.example/hook", ("post.published",), "Search")
        )
        gone, _ = await add_endpoint(tx, NewEndpoint("https://b.example/hook"))
        await add_endpoint(tx, NewEndpoint("https://c.example/hook"))
        await delete_endpoint(tx, gone.id)
    there = await exported(place)
    assert secret.removeprefix("whsec_").encode() not in b"".join(there.values())
    assert str(first.id).encode() not in there["webhooks.jsonl"]
    async with other.transaction() as tx:
        await restore_everything(tx, zipped(there))
    async with other.transaction() as tx:
        found = await endpoints(tx)
        assert [(one.url, one.description, one.events, one.state) for one in found] == [
            ("https://a.example/hook", "Search", ("post.published",), "paused"),
            ("https://c.example/hook", "", ("*",), "paused"),
        ]
        assert all([len(await live_secrets(tx, one.id)) == 1 for one in found])
        assert secret not in await live_secrets(tx, found[0].id)
    again = await exported(other)
    assert again["webhooks.jsonl"] == there["webhooks.jsonl"].replace(b'"active"', b'"paused"')
    assert again | {"webhooks.jsonl": b""} == there | {"webhooks.jsonl": b""}


@pytest.mark.parametrize(("role", "told"), [("owner", True), ("editor", False)])
async def test_who_reads_no_addresses_of_webhooks_takes_none_along(
    web: Database, owner: Database, role: str, told: bool
) -> None:
    """The address may be a key in itself (as in the studio: owners alone read it)."""
    place = await a_place(web)
    async with place.transaction() as tx:
        await add_endpoint(tx, NewEndpoint("https://a.example/build/key-4711"))
    async with opened() as running, await creator(running, place) as studio:
        if role != "owner":
            async with owner.transaction() as tx:
                await become(tx, role)
        file = await studio.get(f"{STUDIO}/export/everything.zip")
        shown = await studio.get(f"{STUDIO}/export")
    assert (b"key-4711" in b"".join(files_in(file.content).values())) is told
    assert ("where webhooks go" in shown.text) is told


async def test_an_export_of_before_webhooks_comes_in(web: Database) -> None:
    place, other = await a_place(web), await a_place(web, "elsewhere")
    there = await exported(place)
    del there["webhooks.jsonl"]
    async with other.transaction() as tx:
        assert await restore_everything(tx, zipped(there)) == 0
        assert await endpoints(tx) == []


async def test_a_publication_with_a_webhook_is_not_empty(web: Database) -> None:
    place, other = await a_place(web), await a_place(web, "elsewhere")
    async with other.transaction() as tx:
        await add_endpoint(tx, NewEndpoint("https://a.example/hook"))
        with pytest.raises(Conflict, match="1 webhooks"):
            await restore_everything(tx, zipped(await exported(place)))


async def test_an_export_is_of_one_moment_and_changes_nothing(web: Database) -> None:
    """X1: a reader who comes in the middle is in all of it or in none."""
    place = await a_place(web)
    await place.reader("anna@example.org")
    count = "select count(*) from reader"
    async with web.transaction(place.id, snapshot=True) as tx:
        assert await tx.value(count) == 1
        await place.reader("ben@example.org")
        assert await tx.value(count) == 1
        with pytest.raises(DBAPIError, match="read-only"):
            async with tx.savepoint():
                await tx.execute("delete from reader")
    async with place.transaction() as tx:
        assert await tx.value(count) == 2
        await tx.execute("delete from reader")


async def test_an_export_is_sent_while_it_is_made_and_few_are_made_at_once(web: Database) -> None:
    place = await a_place(web)
    await place.reader("anna@example.org")
    async with opened() as running, await creator(running, place) as studio:
        file = await studio.get(f"{STUDIO}/export/everything.zip")
        assert "content-length" not in file.headers
        assert b"anna@example.org" in files_in(file.content)["readers.jsonl"]
        async with contextlib.AsyncExitStack() as others:
            for _ in range(making.AT_ONCE):
                await others.enter_async_context(making._TURNS)
            busy = await studio.get(f"{STUDIO}/export/everything.zip")
        assert busy.status_code == 503
        assert "Try again in a minute" in busy.text
        assert (await studio.get(f"{STUDIO}/export/everything.zip")).status_code == 200


async def test_nobody_can_be_mailed_there_who_could_not_here(
    web: Database, worker: Database, owner: Database
) -> None:
    place = await furnished(web, worker, owner)
    other = await a_place(web, "elsewhere")
    files = await exported(place)
    async with other.transaction() as tx:
        await restore_everything(tx, zipped(files))
    mailable = "select address from mailable where account_id = :account order by 1"
    async with owner.transaction() as tx:
        here, there = [
            [row.address for row in await tx.rows(mailable, account=one.id)] for one in (place, other)
        ]
        assert await tx.value("select count(*) from job where account_id = :account", account=other.id) == 0
    assert here == there
    assert here


async def test_our_own_spreadsheet_brings_back_what_it_says(
    web: Database, worker: Database, owner: Database
) -> None:
    """Field case E: export, import your own file again: nothing changes, nobody who left is back."""
    place = await a_place(web)
    before = await imported(place, worker, first(GHOST, 300))
    table = (await exported(place))["readers.csv"]
    again = await imported(place, worker, table, "csv")
    assert (again.unchanged, again.rows) == (300, 300)
    other = await a_place(web, "elsewhere")
    there = await imported(other, worker, table, "csv")
    assert (there.subscribed, there.unsubscribed) == (before.subscribed, before.unsubscribed)
    assert before.unsubscribed


async def test_an_export_goes_into_an_empty_publication_only(
    web: Database, worker: Database, owner: Database
) -> None:
    place = await a_place(web)
    await place.reader("anna@example.org")
    files = await exported(place)
    with pytest.raises(Conflict, match="holds 1 readers already"):
        async with place.transaction() as tx:
            await restore_everything(tx, zipped(files))


@pytest.mark.parametrize("spoil", ["readers.jsonl", "publication.json", "releases.jsonl"])
async def test_what_is_no_whole_export_changes_nothing(web: Database, spoil: str) -> None:
    place = await a_place(web)
    await place.reader("anna@example.org")
    files = await exported(place)
    other = await a_place(web, "elsewhere")
    with pytest.raises(Invalid, match="no whole export"):
        async with other.transaction() as tx:
            await restore_everything(tx, zipped(files | {spoil: b"{"}))
    async with other.transaction() as tx:
        assert await tx.value("select count(*) from reader") == 0


async def test_no_page_of_an_export_brings_what_runs(
    web: Database, worker: Database, owner: Database
) -> None:
    files = await exported(await furnished(web, worker, owner))
    bad = b"<p onclick='x()'>kept</p><script>x()</script><a href='javascript:x()'>b</a>" + b"<i>" * 500
    spoilt = {name: bad if name.endswith(".html") else content for name, content in files.items()}
    other = await a_place(web, "elsewhere")
    async with other.transaction() as tx:
        await restore_everything(tx, zipped(spoilt))
        shown = await tx.rows("select html from revision union select preview_html from revision")
    for html in (row.html for row in shown if row.html):
        assert "kept" in html
        assert not any(word in html for word in ("onclick", "script", "javascript"))
        assert html.count("<i>") <= 100


def test_other_files_are_told_apart() -> None:
    assert not is_export(io.BytesIO(b"PK nothing"))
    assert not is_export(zipped({"posts.csv": b""}))
    assert is_export(zipped({"publication.json": b"", "readers.jsonl": b""}))
