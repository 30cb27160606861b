"""Moving in from another product: readers with their counts, and taken back; posts with their pictures."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import expect

from app.cli.folder import ROOT
from e2e.pages.readers import TRY, Import
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Api, Godwit

EMAIL, SLUG = "mina@example.org", "moving-in"
DATA = ROOT / "tests" / "data"
#: File, whether its columns are asked for, rows by outcome, and where its readers stand.
FILES = [
    ("ghost-members.csv", False, (2000, 0, 0), (1846, 154, 0, 0)),
    ("substack-subscribers.csv", False, (600, 0, 0), (570, 30, 0, 0)),
    ("mailchimp-subscribed.csv", False, (500, 0, 0), (500, 0, 0, 0)),
    ("mailchimp-unsubscribed.csv", False, (50, 0, 0), (0, 50, 0, 0)),
    ("mailchimp-cleaned.csv", False, (20, 0, 0), (0, 0, 0, 20)),
    ("beehiiv-subscribers.csv", False, (300, 0, 0), (249, 29, 22, 0)),
    ("messy-semicolon-bom.csv", True, (3, 1, 3), (0, 0, 3, 0)),
    ("messy-utf16.csv", True, (1, 0, 0), (0, 0, 1, 0)),
    ("messy-cp1252.csv", True, (1, 0, 0), (0, 0, 1, 0)),
]


def picture() -> bytes:
    """A small one."""
    out = io.BytesIO()
    Image.new("RGB", (8, 6), (168, 67, 31)).save(out, "PNG")
    return out.getvalue()


@pytest.fixture(scope="module")
def api(godwit: Godwit) -> Api:
    """Of a publication that is empty when it begins."""
    godwit.account(SLUG, EMAIL, "Moving in")
    return godwit.api(SLUG)


@pytest.fixture(params=[True, False], ids=["scripted", "plain"])
def studio(api: Api, godwit: Godwit, visit: Callable[..., Visitor], request: pytest.FixtureRequest) -> Studio:
    """Signed in, in a browser that runs scripts and in one that runs none."""
    visitor = visit(godwit, scripted=request.param)
    visitor.sign_in(EMAIL)
    return Studio(visitor, SLUG)


@pytest.mark.parametrize(("name", "asks", "rows", "standing"), FILES, ids=[one[0] for one in FILES])
def test_each_file_comes_in_with_its_counts_and_is_taken_back(
    studio: Studio, api: Api, name: str, asks: bool, rows: tuple[int, int, int], standing: tuple[int, ...]
) -> None:
    """Each into the empty account that undoing the last one left."""
    bringing = Import(studio)
    bringing.open()
    bringing.choose(Path(DATA / name))
    if asks:
        bringing.go_on_as_guessed()
    ended = bringing.finished()
    assert (ended["created"], ended["skipped"], ended["failed"]) == rows
    assert (ended["updated"], ended["unchanged"]) == (0, 0)
    assert bringing.standing() == standing
    bringing.undo()
    assert _readers(api) == []


@pytest.mark.parametrize(
    ("name", "asks", "rows"), [FILES[4][:3], FILES[6][:3]], ids=[FILES[4][0], FILES[6][0]]
)
def test_a_dry_run_says_what_would_come_and_changes_nothing(
    studio: Studio, api: Api, name: str, asks: bool, rows: tuple[int, int, int]
) -> None:
    """Then the same file for real, with the same counts, without being given again."""
    bringing = Import(studio)
    bringing.open()
    bringing.choose(Path(DATA / name), *(() if asks else (TRY,)))
    if asks:
        bringing.go_on_as_guessed(TRY)
    tried = bringing.finished()
    assert (tried["created"], tried["skipped"], tried["failed"]) == rows
    sentence = studio.visitor.page.locator("#progress-sentence")
    expect(sentence).to_contain_text("would come in")
    assert _readers(api) == []
    bringing.for_real()
    assert bringing.finished() == tried
    expect(sentence).not_to_contain_text("would")
    assert len(_readers(api)) == rows[0]
    bringing.undo()
    assert _readers(api) == []


def _readers(api: Api) -> list[dict[str, Any]]:
    return api.get("/readers?limit=100")["items"]


def test_posts_come_with_their_pictures_and_old_addresses(studio: Studio, godwit: Godwit) -> None:
    """From a zip of Ghost's export; what could not come along is listed."""
    slug = "first-bird" if studio.visitor.scripted else "plain-bird"
    post = {
        "id": slug,
        "uuid": slug,
        "title": "The first bird",
        "slug": slug,
        "html": '<p>It flew.</p><img src="__GHOST_URL__/content/images/bird.png" alt="A bird">'
        '<img src="https://far.example/x.jpg" alt="Far">',
        "status": "published",
        "visibility": "public",
        "type": "post",
        "created_at": "2020-05-01T10:00:00.000Z",
        "published_at": "2020-05-02T10:00:00.000Z",
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("ghost.json", json.dumps({"db": [{"data": {"posts": [post]}}]}))
        archive.writestr("content/images/bird.png", picture())
    bringing = Import(studio)
    bringing.open()
    bringing.choose_posts({"name": "ghost.zip", "mimeType": "application/zip", "buffer": file.getvalue()})
    assert bringing.finished()["created"] == 1
    lost = studio.visitor.page.get_by_role("region", name="What did not come along")
    expect(lost).to_contain_text("1 picture still loads from far.example.")
    page = studio.visitor.page
    page.route("https://far.example/*", lambda route: route.fulfill(body=picture(), content_type="image/png"))
    page.goto(f"{godwit.site(SLUG)}/{slug}")
    expect(page.get_by_role("heading", name="The first bird")).to_be_visible()
    expect(page.get_by_role("img", name="A bird")).to_have_attribute("src", re.compile("^/media/"))
    expect(page.get_by_text("2 May 2020").first).to_be_visible()
