"""Moving in from another product: readers with their counts, and taken back; posts with their pictures."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from app.cli.folder import ROOT
from e2e.pages.readers import Import
from e2e.pages.sign_in import SignIn
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit

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
def account(godwit: Godwit) -> None:
    """Empty when it begins."""
    godwit.account(SLUG, EMAIL, "Moving in")


@pytest.fixture
def studio(account: None, godwit: Godwit, visit: Callable[..., Visitor]) -> Studio:
    """Signed in."""
    visitor = visit(godwit)
    SignIn(visitor).with_mailed_code(EMAIL)
    return Studio(visitor, SLUG)


@pytest.mark.parametrize(("name", "asks", "rows", "standing"), FILES)
def test_each_file_comes_in_with_its_counts_and_is_taken_back(
    studio: Studio, name: str, asks: bool, rows: tuple[int, int, int], standing: tuple[int, ...]
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
    assert studio.visitor.godwit.api(SLUG).get("/readers?limit=1")["items"] == []


def test_posts_come_with_their_pictures_and_old_addresses(studio: Studio, godwit: Godwit) -> None:
    """From a zip of Ghost's export; what could not come along is listed."""
    post = {
        "id": "1",
        "uuid": "u1",
        "title": "The first bird",
        "slug": "first-bird",
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
    page.goto(f"{godwit.site(SLUG)}/first-bird")
    expect(page.get_by_role("heading", name="The first bird")).to_be_visible()
    expect(page.get_by_role("img", name="A bird")).to_have_attribute("src", re.compile("^/media/"))
    expect(page.get_by_text("2 May 2020").first).to_be_visible()
