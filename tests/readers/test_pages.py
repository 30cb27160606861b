"""The studio's pages of readers."""

import httpx
import pytest

from app.base.database import Database
from app.readers import ReaderFilter, find_reader, readers
from app.readers.queries import consent_history
from tests.readers.makers import Place, a_place, another_newsletter
from tests.readers.visitors import STUDIO

NEW = {"email": "anna@example.org", "newsletters": "newsletter", "consented": "1"}


async def test_an_empty_list_says_what_to_do(studio: httpx.AsyncClient) -> None:
    shown = await studio.get(f"{STUDIO}/readers")
    assert shown.status_code == 200
    assert "No readers yet" in shown.text


async def test_adding_needs_the_statement_that_they_asked(place: Place, studio: httpx.AsyncClient) -> None:
    refused = await studio.post(
        f"{STUDIO}/readers", data=NEW | {"consented": "", "name": "Anna", "email": "x"}
    )
    assert refused.status_code == 422
    assert 'value="Anna"' in refused.text
    assert 'id="consented-error"' in refused.text
    assert 'id="email-error"' in refused.text
    async with place.transaction() as tx:
        assert await readers(tx, ReaderFilter()) == []
    added = await studio.post(f"{STUDIO}/readers", data=NEW | {"tags": "birds, sea", "name": "Anna"})
    assert added.status_code == 303
    async with place.transaction() as tx:
        anna = await find_reader(tx, "anna@example.org")
        assert anna
        (entry,) = await consent_history(tx, anna.id)
    assert (anna.state, anna.tags, anna.source) == ("active", ("birds", "sea"), "studio")
    assert entry.how == "Ana Moreau stated in the studio that they asked for it"
    assert added.headers["location"] == f"{STUDIO}/readers/{anna.id}"
    again = await studio.post(f"{STUDIO}/readers", data=NEW | {"name": "Other"})
    assert again.headers["location"] == added.headers["location"]
    assert "already" in (await studio.get(again.headers["location"])).text


async def test_a_reader_is_shown_whole_and_unsubscribed_by_the_team(
    place: Place, owner: Database, studio: httpx.AsyncClient
) -> None:
    notes = await another_newsletter(owner, place)
    anna = await place.reader(newsletters=(place.newsletter_id, notes), note="from the fair", name="Anna")
    url = f"{STUDIO}/readers/{anna.id}"
    shown = await studio.get(url)
    assert "Anna gets Tidelines and Field notes." in " ".join(shown.text.split())
    assert "from the fair" in shown.text
    asked = {"newsletter": "field-notes", "leave": "ANNA@example.org"}
    assert (await studio.post(f"{url}/unsubscribe", data=asked)).status_code == 303
    assert "Anna gets Tidelines." in " ".join((await studio.get(url)).text.split())
    await studio.post(f"{url}/unsubscribe", data={"leave": "anna@example.org"})
    gone = await studio.get(url)
    assert "unsubscribed from everything" in gone.text
    assert "by Ana Moreau, in the studio" in gone.text
    assert (await studio.post(f"{url}/unsubscribe", data={"newsletter": "none"})).status_code == 422


@pytest.mark.parametrize("typed", ["", "ben@example.org", "no address"])
async def test_unsubscribing_somebody_needs_their_address_typed(
    place: Place, studio: httpx.AsyncClient, typed: str
) -> None:
    """R2: only they can come back, so one press of a button beside another is not enough."""
    anna = await place.reader()
    url = f"{STUDIO}/readers/{anna.id}"
    page = (await studio.get(url)).text
    assert "only they can subscribe again" in page
    refused = await studio.post(f"{url}/unsubscribe", data={"leave": typed})
    assert (refused.status_code, "Nobody was unsubscribed" in refused.text) == (422, True)
    assert (await place.reader()).state == "active"


async def test_name_tags_and_note_are_saved(place: Place, studio: httpx.AsyncClient) -> None:
    anna = await place.reader()
    url = f"{STUDIO}/readers/{anna.id}"
    saved = await studio.post(url, data={"name": "Anna B", "tags": "a, b ,A", "note": "one\r\ntwo"})
    assert saved.status_code == 303
    now = await place.reader()
    assert (now.name, now.tags, now.note) == ("Anna B", ("a", "b"), "one\ntwo")
    wrong = await studio.post(url, data={"name": "x" * 201, "tags": "new", "note": "typed <long>"})
    assert (wrong.status_code, 'id="name-error"' in wrong.text) == (422, True)
    assert "x" * 201 in wrong.text
    assert 'value="new"' in wrong.text
    assert "typed &lt;long&gt;" in wrong.text


async def test_erasing_needs_the_address_typed(place: Place, studio: httpx.AsyncClient) -> None:
    anna = await place.reader("anna@bücher.example")
    url = f"{STUDIO}/readers/{anna.id}"
    wrong = await studio.post(f"{url}/erase", data={"address": "ben@example.org"})
    assert (wrong.status_code, "Nothing was erased" in wrong.text) == (422, True)
    assert (await studio.post(f"{url}/erase", data={"address": "Anna@bücher.example"})).status_code == 303
    assert (await studio.get(url)).status_code == 404
    assert (await studio.post(f"{url}/erase", data={"address": "x"})).status_code == 404


async def test_another_accounts_reader_is_not_there(
    place: Place, web: Database, studio: httpx.AsyncClient
) -> None:
    """T1."""
    other = await a_place(web, "elsewhere")
    theirs = await other.reader("theirs@example.org")
    for path in ("", "/unsubscribe", "/erase"):
        answer = await studio.post(f"{STUDIO}/readers/{theirs.id}{path}", data={"address": theirs.email})
        assert answer.status_code == 404
    assert (await other.reader("theirs@example.org")).state == "active"
