"""The studio's list of readers, its segments, and acts on many (audiences A4 to A8; field cases K)."""

import html
import re
from urllib.parse import quote

import httpx
import pytest

import app.audiences.jobs  # noqa: F401  (registers the handler, as the workers' catalogue does)
from app.audiences import ReaderFilter, make_segment, segments
from app.audiences.bulk import bulk_acts
from app.audiences.doing import take_slice
from app.base.database import Database
from app.readers import find_reader
from app.suppressions import suppress
from tests.accounts.makers import become
from tests.readers.makers import Place, a_place
from tests.readers.visitors import STUDIO

READERS = f"{STUDIO}/readers"


def lead(answer: httpx.Response, rel: str) -> str:
    """Where the pager leads."""
    return html.unescape(answer.text.split(f'rel="{rel}" href="')[1].split('"')[0])


def listed(answer: httpx.Response) -> list[str]:
    """The first parts of the addresses in the list."""
    return re.findall(r'">([^<@]+)@[^<]+</a>', answer.text)


async def test_an_empty_list_says_what_to_do(studio: httpx.AsyncClient) -> None:
    shown = await studio.get(READERS)
    assert shown.status_code == 200
    assert "No readers yet" in shown.text


async def test_readers_of_one_instant_are_told_apart(place: Place, studio: httpx.AsyncClient) -> None:
    """Field case K: a unique tie-break."""
    for n in range(60):
        await place.reader(f"reader{n:02}@example.org")
    async with place.transaction() as tx:
        await tx.execute("update reader set joined_at = '2026-05-03T10:14:00Z'")
    first = await studio.get(READERS)
    second = await studio.get(lead(first, "next"))
    assert len({*listed(first), *listed(second)}) == 60


async def test_totals_are_never_cut(place: Place, studio: httpx.AsyncClient) -> None:
    """Field case K: 1,001 readers."""
    async with place.transaction() as tx:
        await tx.execute(
            "insert into reader (account_id, id, email, source) select :account, gen_random_uuid(),"
            " 'r' || n || '@example.org', 'import' from generate_series(1, 1001) n",
            account=place.id,
        )
    assert 'data-figure="all" data-value="1001"' in (await studio.get(READERS)).text
    found = await studio.get(READERS, params={"q": "@example", "source": "import"})
    assert 'data-figure="matching" data-value="1001"' in found.text
    assert "1,001 readers who came with an import, found for “@example”" in found.text


async def test_search_state_and_tags_narrow_the_list(place: Place, studio: httpx.AsyncClient) -> None:
    await place.reader("anna@example.org", name="Anna <b>", tags=("birds & sea",))
    await place.reader("ben@example.org")
    async with place.transaction() as tx:
        await suppress(tx, "ben@example.org", "bounce")
    found = await studio.get(READERS, params={"q": "ANNA <", "any": "birds & sea", "state": "active"})
    assert "1 reader subscribed, with the tag “birds &amp; sea”" in found.text
    assert "Anna &lt;b&gt;" in found.text
    assert listed(found) == ["anna"]
    assert listed(await studio.get(READERS, params={"state": "suppressed"})) == ["ben"]
    nobody = await studio.get(READERS, params={"q": "zz%"})
    assert "Nobody found" in nobody.text
    assert "/acts/new" not in nobody.text


async def test_what_cannot_be_looked_for_is_told_and_stays_typed(
    place: Place, studio: httpx.AsyncClient
) -> None:
    """A3: and nothing can be done with everybody instead."""
    await place.reader()
    wrong = await studio.get(READERS, params={"q": "ann", "from": "3 May", "state": "asleep"})
    assert wrong.status_code == 422
    assert 'id="from-error"' in wrong.text
    assert 'id="state-error"' in wrong.text
    assert 'value="3 May"' in wrong.text
    assert 'value="ann"' in wrong.text
    assert listed(wrong) == []
    assert "/acts/new" not in wrong.text
    for query in (
        "q=%00",
        "older=nonsense",
        "q=%FF",
        "newsletter=x",
        "segment=00000000-0000-7000-8000-000000000000",
    ):
        assert (await studio.get(f"{READERS}?{query}")).status_code == 422, query
    for path in ("acts/new", "segments/new", "export.csv"):
        assert (await studio.get(f"{READERS}/{path}?state=asleep")).status_code == 422


async def test_a_filter_is_kept_as_a_segment_with_its_live_size(
    place: Place, studio: httpx.AsyncClient
) -> None:
    """A4, A5."""
    await place.reader("anna@example.org", tags=("birds",))
    new = await studio.get(f"{READERS}/segments/new?any=birds")
    assert 'data-figure="size" data-value="1"' in new.text
    made = await studio.post(f"{READERS}/segments", data={"filter": "any=birds", "name": "Bird people"})
    assert made.status_code == 303
    found = await studio.get(made.headers["location"])
    assert "1 reader in the segment Bird people" in found.text
    await place.reader("ben@example.org", tags=("birds",))
    every = await studio.get(f"{READERS}/segments")
    assert 'data-figure="size" data-value="2"' in every.text
    assert "readers with the tag “birds”" in every.text
    again = await studio.post(f"{READERS}/segments", data={"filter": "any=sea", "name": "Bird people"})
    assert (again.status_code, "already" in again.text, 'value="any=sea"' in again.text) == (422, True, True)
    empty = await studio.post(f"{READERS}/segments", data={"filter": "", "name": "All"})
    assert (empty.status_code, "everybody" in empty.text) == (422, True)


async def test_a_segment_is_changed_and_deleted(place: Place, studio: httpx.AsyncClient) -> None:
    async with place.transaction() as tx:
        made = await make_segment(tx, "Birds", ReaderFilter(any_tags=("birds",)), "Ana")
    url = f"{READERS}/segments/{made}"
    assert 'value="Birds"' in (await studio.get(url)).text
    assert (await studio.post(url, data={"filter": "any=sea", "name": ""})).status_code == 422
    assert (await studio.post(url, data={"filter": "any=sea", "name": "Sea"})).status_code == 303
    async with place.transaction() as tx:
        (kept,) = await segments(tx)
    assert (kept.name, kept.filter) == ("Sea", ReaderFilter(any_tags=("sea",)))
    for typed in ("", "Birds"):
        refused = await studio.post(f"{url}/delete", data={"typed": typed})
        assert (refused.status_code, "Type its name, Sea, to delete it." in refused.text) == (422, True)
    gone = await studio.post(f"{url}/delete", data={"typed": " sea "})
    assert gone.status_code == 303
    again = await studio.post(f"{url}/delete", data={"typed": "Sea"})
    assert "It was deleted before" in (await studio.get(again.headers["location"])).text
    assert (await studio.get(url)).status_code == 404
    assert (await studio.post(url, data={"filter": "any=sea", "name": "Sea"})).status_code == 404


async def test_many_are_tagged_by_what_is_filtered_and_it_is_taken_back(
    place: Place, worker: Database, studio: httpx.AsyncClient
) -> None:
    """A6, A7: size said, progress shown."""
    for name in ("anna", "ben"):
        await place.reader(f"{name}@example.org", tags=("birds",))
    await place.reader("cleo@example.org")
    choose = await studio.get(f"{READERS}/acts/new?any=birds")
    assert "Tag 2 readers" in choose.text
    order = {"filter": "any=birds", "shown": "2", "act": "tag", "tag-tag": "sea, side"}
    ordered = await studio.post(f"{READERS}/acts", data=order)
    assert ordered.status_code == 303
    waiting = await studio.get(ordered.headers["location"])
    assert 'data-state="queued"' in waiting.text
    assert "hx-get=" in waiting.text
    await _work(place, worker)
    over = await studio.get(ordered.headers["location"] + "/progress")
    assert "2 readers were given the tag “sea, side”." in over.text
    assert "hx-get=" not in over.text
    assert listed(await studio.get(READERS, params={"any": '"sea, side"'})) == ["ben", "anna"]
    back = await studio.post(ordered.headers["location"] + "/undo")
    await _work(place, worker)
    assert "2 readers lost the tag" in (await studio.get(back.headers["location"])).text
    assert "taken back" in (await studio.get(ordered.headers["location"])).text
    assert (await studio.post(ordered.headers["location"] + "/undo")).status_code == 409
    assert "Taking it back" in (await studio.get(f"{READERS}/acts")).text


async def test_what_destroys_is_asked_for_by_typing(
    place: Place, worker: Database, studio: httpx.AsyncClient
) -> None:
    """A7."""
    await place.reader("anna@example.org")
    erase = {"filter": "q=anna", "shown": "1", "act": "erase"}
    refused = await studio.post(f"{READERS}/acts", data=erase | {"erase-typed": "erase"})
    assert refused.status_code == 422
    assert 'id="erase-typed-error"' in refused.text
    assert "1 reader" in refused.text
    assert (await studio.post(f"{READERS}/acts", data=erase | {"erase-typed": "Erase 1"})).status_code == 303
    await _work(place, worker)
    async with place.transaction() as tx:
        assert await find_reader(tx, "anna@example.org") is None


@pytest.mark.parametrize(
    "data",
    [
        {"act": "explode"},
        {"act": "tag", "shown": "many"},
        {"act": "tag", "tag-tag": "x" * 192},
        {"act": "tag", "tag-tag": "x", "filter": "state=asleep"},
        {"act": "unsubscribe", "unsubscribe-newsletter": "x", "unsubscribe-typed": "unsubscribe 1"},
    ],
)
async def test_a_wrong_order_does_nothing(place: Place, studio: httpx.AsyncClient, data: dict) -> None:
    await place.reader()
    answer = await studio.post(f"{READERS}/acts", data={"filter": "", "shown": "1"} | data)
    assert answer.status_code == 422
    async with place.transaction() as tx:
        assert await bulk_acts(tx) == []


async def test_a_writer_does_not_act_on_many_nor_takes_them_along(
    place: Place, owner: Database, studio: httpx.AsyncClient
) -> None:
    await place.reader(tags=("birds",))
    async with owner.transaction() as tx:
        await become(tx, "writer")
    shown = await studio.get(READERS, params={"any": "birds"})
    assert "Keep as a segment" in shown.text
    assert "acts/new" not in shown.text
    assert (await studio.get(f"{READERS}/export.csv")).status_code == 403
    assert (await studio.get(f"{READERS}/acts/new")).status_code == 403
    assert (await studio.post(f"{READERS}/acts", data={"act": "tag"})).status_code == 403


async def test_what_is_filtered_is_taken_along_as_csv(
    place: Place, studio: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A8: whole, slice by slice; no cell is a formula."""
    monkeypatch.setattr("app.audiences.exporting.SLICE", 2)
    for n in range(5):
        await place.reader(f"r{n}@example.org", name='=1+"Ö"', tags=("a, b", "c"))
    await place.reader("other@example.org")
    taken = await studio.get(f"{READERS}/export.csv?any={quote('c')}")
    assert taken.headers["content-type"].startswith("text/csv")
    assert "attachment" in taken.headers["content-disposition"]
    lines = taken.text.splitlines()
    assert lines[0] == "email,name,state,newsletters,blocked,tags,note,source,joined_at"
    assert [line.split("@")[0] for line in lines[1:]] == ["r4", "r3", "r2", "r1", "r0"]
    assert lines[1].startswith('r4@example.org,"\'=1+""Ö""",active,newsletter: active,,"""a, b"", ""c""",')


async def test_another_accounts_segments_and_acts_are_not_there(
    place: Place, web: Database, studio: httpx.AsyncClient
) -> None:
    """T1."""
    other = await a_place(web, "elsewhere")
    async with other.transaction() as tx:
        theirs = await make_segment(tx, "Theirs", ReaderFilter(state="active"), "X")
    assert (await studio.get(f"{READERS}/segments/{theirs}")).status_code == 404
    assert (await studio.get(f"{READERS}?segment={theirs}")).status_code == 422
    assert (await studio.get(f"{READERS}/acts/{theirs}")).status_code == 404


async def _work(place: Place, worker: Database) -> None:
    """Whatever was ordered is done, as the worker does it."""
    async with place.transaction() as tx:
        found = await bulk_acts(tx)
    for one in found:
        async with worker.transaction(place.id) as tx:
            assert await take_slice(tx, one.id)
