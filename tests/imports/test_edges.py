"""Files as people and programs hand them in."""

import io
import zipfile
from collections.abc import AsyncIterator
from uuid import UUID

import httpx
import pytest

from app.base.database import Database
from app.imports.uploads import LARGEST_FILE
from tests.imports.makers import GHOST, begun, csv, run_once, settled
from tests.readers.makers import Place, a_place
from tests.readers.visitors import STUDIO, creator, opened, program


@pytest.fixture
async def place(web: Database) -> Place:
    return await a_place(web)


@pytest.fixture
async def api(place: Place) -> AsyncIterator[httpx.AsyncClient]:
    async with opened() as web, await program(web, place) as client:
        yield client


@pytest.fixture
async def studio(place: Place) -> AsyncIterator[httpx.AsyncClient]:
    async with opened() as web, await creator(web, place) as client:
        yield client


CSV = {"Content-Type": "text/csv"}


async def none_was_kept(owner: Database) -> bool:
    async with owner.transaction() as tx:
        return not await tx.value("select count(*) from import") and not await tx.value(
            "select count(*) from job"
        )


async def test_a_file_as_the_body_is_taken_and_counted(api: httpx.AsyncClient, worker: Database) -> None:
    """N1."""
    taken = await api.post("imports", content=GHOST, headers=CSV)
    assert taken.status_code == 202
    assert (taken.json()["state"], taken.json()["rows"], taken.json()["errors"]) == ("queued", 0, [])
    await run_once(worker)
    told = (await api.get(f"imports/{taken.json()['id']}")).json()
    assert (told["state"], told["dry_run"]) == ("done", False)
    assert [told[name] for name in ("rows", "created", "updated", "unchanged", "skipped", "failed")] == [
        *(2000, 2000, 0, 0, 0, 0)
    ]
    listed = (await api.get("imports")).json()
    assert [one["id"] for one in listed["items"]] == [told["id"]]
    active = (await api.get("readers", params={"state": "active", "limit": 1})).json()
    assert active["next"]


async def test_a_form_is_taken_and_rows_not_taken_are_told(api: httpx.AsyncClient, worker: Database) -> None:
    content = csv("anna@example.org,,,true,,", "nobody,,,true,,")
    taken = await api.post("imports", params={"newsletter": "newsletter"}, files={"file": ("m.csv", content)})
    assert (taken.status_code, taken.json()["file"]) == (202, "m.csv")
    await run_once(worker)
    told = (await api.get(f"imports/{taken.json()['id']}")).json()
    assert (told["state"], told["failed"], told["errors_left_off"]) == ("done", 1, 0)
    assert [(one["row"], one["line"]) for one in told["errors"]] == [(2, 3)]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"format": "substack"}, "file"),
        ({"format": "what"}, "format"),
        ({"dry_run": "perhaps"}, "dry_run"),
        ({"consent": "yes"}, "consent"),
        ({"newsletter": "none"}, "newsletter"),
    ],
)
async def test_what_cannot_be_is_refused_by_name(
    api: httpx.AsyncClient, owner: Database, asked: dict, field: str
) -> None:
    answer = await api.post("imports", params=asked, content=csv("a@b.example,,,true,,"), headers=CSV)
    assert answer.status_code == 422
    assert [one["field"] for one in answer.json()["errors"]] == [field]
    assert await none_was_kept(owner)


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"%PDF-1.7", b"{}", b"\0\1\2", b"name,age\nAnna,3\n", b"email,subscribed_to_emails\n"],
)
async def test_what_is_no_table_of_readers_is_refused_before_anything_is_kept(
    api: httpx.AsyncClient, studio: httpx.AsyncClient, owner: Database, content: bytes
) -> None:
    """N6."""
    answer = await api.post("imports", content=content, headers=CSV)
    assert answer.status_code == 422
    assert [one["field"] for one in answer.json()["errors"]] == ["file"]
    page = await studio.post(
        f"{STUDIO}/imports", data={"newsletter": "newsletter"}, files={"file": ("x.csv", content)}
    )
    assert page.status_code == 422
    assert 'id="file-error"' in page.text
    assert await none_was_kept(owner)


async def test_a_file_of_ten_megabytes_is_taken_and_one_over_the_limit_is_not(
    api: httpx.AsyncClient, studio: httpx.AsyncClient, owner: Database
) -> None:
    too_much = b"x" * (LARGEST_FILE + 1)
    assert (await api.post("imports", content=too_much, headers=CSV)).status_code == 413
    form = {"data": {"newsletter": "newsletter"}, "files": {"file": ("x.csv", too_much)}}
    refused = await studio.post(f"{STUDIO}/imports", **form)
    assert refused.status_code == 413
    assert "64 MB" in refused.text or "more than Godwit takes" in refused.text
    assert await none_was_kept(owner)
    large = b"email,subscribed_to_emails,note\n" + b"".join(
        b"reader%d@example.org,true,%s\n" % (n, b"n" * 1000) for n in range(10_000)
    )
    assert len(large) > 10_000_000
    assert (await api.post("imports", content=large, headers=CSV)).status_code == 202


async def test_a_form_holds_the_file_alone(api: httpx.AsyncClient, owner: Database) -> None:
    """N6: a wish that is passed over would import for real."""
    sent = await api.post("imports", files={"file": ("a.csv", GHOST)}, data={"dry_run": "1"})
    assert sent.status_code == 422
    assert sent.json()["errors"][0]["field"] == "dry_run"
    assert await none_was_kept(owner)


async def test_the_page_of_an_import_goes_on_by_itself_until_it_is_over(
    studio: httpx.AsyncClient, worker: Database
) -> None:
    shown = await studio.get(f"{STUDIO}/imports")
    assert "Import these readers" in shown.text
    content = csv("anna@example.org,,,true,,", "nobody,,,true,,")
    sent = await studio.post(
        f"{STUDIO}/imports", data={"newsletter": "newsletter"}, files={"file": ("m.csv", content)}
    )
    assert sent.status_code == 303
    url = sent.headers["location"]
    waiting = await studio.get(url)
    assert 'data-state="queued"' in waiting.text
    assert 'hx-trigger="every 1s"' in waiting.text
    await run_once(worker)
    part = await studio.get(f"{url}/progress", headers={"HX-Request": "true"})
    assert 'data-state="done"' in part.text
    assert "hx-trigger" not in part.text
    assert 'data-figure="created" data-value="1"' in part.text
    assert 'data-figure="subscribed" data-value="1"' in part.text
    assert "1 reader came in; 1 row was not taken." in " ".join((await studio.get(url)).text.split())
    assert "m.csv" in (await studio.get(f"{STUDIO}/imports")).text


async def test_an_import_of_another_account_is_not_there(
    web: Database, studio: httpx.AsyncClient, api: httpx.AsyncClient
) -> None:
    """T1."""
    theirs: UUID = await begun(await a_place(web, "elsewhere"), csv("a@b.example,,,true,,"))
    assert (await studio.get(f"{STUDIO}/imports/{theirs}")).status_code == 404
    assert (await api.get(f"imports/{theirs}")).status_code == 404


async def test_a_table_of_no_product_waits_until_somebody_says_what_its_columns_mean(
    studio: httpx.AsyncClient, worker: Database
) -> None:
    """N9: with what is wrong said, and nothing lost."""
    content = b"who,called,size\nanna@example.org,Anna,42\nben@example.org,Ben,\n"
    refused = await studio.post(
        f"{STUDIO}/imports", data={"newsletter": "newsletter"}, files={"file": ("t.csv", content)}
    )
    assert refused.status_code == 422
    assert "no column with addresses" in refused.text
    content = content.replace(b"who", b"email")
    sent = await studio.post(
        f"{STUDIO}/imports", data={"newsletter": "newsletter"}, files={"file": ("t.csv", content)}
    )
    url = sent.headers["location"]
    asked = (await studio.get(url)).text
    assert "What the columns mean" in asked
    assert "anna@example.org" in asked
    wrong = await studio.post(f"{url}/columns", data={"email": "size", "name": "size", "consent": "1"})
    assert wrong.status_code == 422
    assert "chosen twice" in wrong.text
    assert 'name="consent" value="1" checked' in wrong.text
    right = {"email": "email", "name": "called", "consent": "1"}
    assert (await studio.post(f"{url}/columns", data=right)).status_code == 303
    assert (await studio.post(f"{url}/columns", data=right)).status_code == 404
    await run_once(worker)
    done = (await studio.get(url)).text
    assert 'data-figure="subscribed" data-value="2"' in done


async def test_a_dry_run_becomes_real_by_one_button_once(
    studio: httpx.AsyncClient, api: httpx.AsyncClient, worker: Database
) -> None:
    """N7."""
    content = csv("anna@example.org,,,true,,", "nobody,,,true,,")
    form = {"newsletter": "newsletter", "dry_run": "1"}
    sent = await studio.post(f"{STUDIO}/imports", data=form, files={"file": ("m.csv", content)})
    url = sent.headers["location"]
    await run_once(worker)
    await settled(worker)
    shown = (await studio.get(url)).text
    assert "1 reader would come in; 1 row would not be taken. Nothing was changed yet." in " ".join(
        shown.split()
    )
    assert "Import these readers now" in shown
    assert (await api.get("readers")).json()["items"] == []
    assert (await studio.post(f"{url}/undo", data={"shown": "0"})).status_code == 409
    real = await studio.post(f"{url}/for-real")
    assert real.status_code == 303
    assert (await studio.post(f"{url}/for-real")).status_code == 409
    await run_once(worker)
    assert len((await api.get("readers")).json()["items"]) == 1
    assert "Import these readers now" not in (await studio.get(url)).text


async def test_the_rows_that_were_not_taken_are_a_file(studio: httpx.AsyncClient, worker: Database) -> None:
    content = csv("anna@example.org,,,true,,", "nobody,,,true,,", "=1+1,,,true,,")
    sent = await studio.post(
        f"{STUDIO}/imports", data={"newsletter": "newsletter"}, files={"file": ("m.csv", content)}
    )
    await run_once(worker)
    report = await studio.get(f"{sent.headers['location']}/rows.csv")
    assert report.headers["content-type"].startswith("text/csv")
    assert report.content.startswith(b"\xef\xbb\xbfrow,line,outcome,reason\r\n2,3,failed,")


async def test_undoing_says_its_size_first(
    studio: httpx.AsyncClient, api: httpx.AsyncClient, worker: Database
) -> None:
    """N8."""
    sent = await studio.post(
        f"{STUDIO}/imports",
        data={"newsletter": "newsletter"},
        files={"file": ("m.csv", csv("anna@example.org,,,true,,"))},
    )
    url = sent.headers["location"]
    await run_once(worker)
    await settled(worker)
    assert "Undo it: 1 reader will go" in (await studio.get(f"{url}/undo")).text
    for shown, words in (
        ("", "not whole"),
        ("x", "not whole"),
        ("2", "2 would have gone and 1 would by now"),
    ):
        refused = await studio.post(f"{url}/undo", data={"shown": shown})
        assert (refused.status_code, words in refused.text) == (422, True), shown
    assert (await studio.post(f"{url}/undo", data={"shown": "1"})).status_code == 303
    assert (await studio.post(f"{url}/undo", data={"shown": "1"})).status_code == 409
    assert "is being undone" in (await studio.get(url)).text
    await run_once(worker)
    assert "The import was undone: 1 reader went" in " ".join((await studio.get(url)).text.split())
    assert (await api.get("readers")).json()["items"] == []


async def test_a_dry_run_by_the_api_changes_nothing(api: httpx.AsyncClient, worker: Database) -> None:
    """N7."""
    taken = await api.post("imports", params={"dry_run": "1"}, content=GHOST, headers=CSV)
    assert taken.json()["dry_run"] is True
    await run_once(worker)
    told = (await api.get(f"imports/{taken.json()['id']}")).json()
    assert (told["state"], told["created"], told["subscribed"]) == ("done", 2000, 1846)
    assert (await api.get("readers")).json()["items"] == []


async def test_consent_for_the_whole_file_can_be_stated_by_the_api(
    api: httpx.AsyncClient, worker: Database
) -> None:
    """N9."""
    content = b"email\nanna@example.org\n"
    taken = await api.post("imports", params={"consent": "stated"}, content=content, headers=CSV)
    assert (taken.status_code, taken.json()["format"]) == (202, "csv")
    await run_once(worker)
    (anna,) = (await api.get("readers")).json()["items"]
    assert anna["state"] == "active"


async def test_everything_can_be_downloaded(studio: httpx.AsyncClient, worker: Database) -> None:
    """X1: the way out stands open."""
    await studio.post(
        f"{STUDIO}/imports",
        data={"newsletter": "newsletter"},
        files={"file": ("m.csv", csv("anna@example.org,,,true,,"))},
    )
    await run_once(worker)
    shown = await studio.get(f"{STUDIO}/export")
    assert 'data-figure="readers" data-value="1"' in shown.text
    file = await studio.get(f"{STUDIO}/export/everything.zip")
    assert file.headers["content-type"] == "application/zip"
    assert ".zip" in file.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        assert b"anna@example.org" in archive.read("readers.csv")
