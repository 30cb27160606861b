"""Files of posts as nobody should write them: what is odd in one post is that post's failure (B2, N3)."""

from typing import Any
from xml.etree import ElementTree

import pytest

from app.base import clock
from app.base.database import Database
from app.base.errors import Invalid
from app.egress import looker
from app.imports import import_problems
from app.imports.posts import open_posts, running
from app.imports.posts.archive import Pictures
from app.imports.posts.fetching import Fetcher
from app.imports.posts.foreign import Body, ForeignPost
from app.imports.runs import begin_run
from app.jobs import Work
from app.jobs.registry import ClaimedJob
from app.posts import live_posts
from tests.imports.foreign_files import ghost, ghost_post, picture, substack, zipped
from tests.imports.makers import begun, imported, run_once, seen
from tests.readers.makers import Place, a_place
from tests.readers.visitors import STUDIO, creator, visitor
from tests.readers.visitors import opened as web_of


@pytest.fixture
async def place(web: Database) -> Place:
    return await a_place(web)


ODD_BODIES = [
    '<p>x</p><img src="http://[bad">',
    '<p>x</p><a href="http://[bad">y</a>',
    '<ol start="²"><li>x</li></ol>',
    '<table><tr><td colspan="²">x</td></tr></table>',
    "<p>NUL \0 here</p>",
    "<div>" * 5000 + "x",
    "x" * 5_000_000,
]


@pytest.mark.parametrize("html", ODD_BODIES, ids=range(len(ODD_BODIES)))
async def test_an_odd_post_comes_in_or_fails_alone(place: Place, worker: Database, html: str) -> None:
    content = ghost(ghost_post(1), ghost_post(2, html=html), ghost_post(3))
    made = await begun(place, content, "ghost-posts", kind="posts")
    await run_once(worker)
    view = await seen(place, made)
    assert (view.state, view.rows) == ("done", 3)
    assert view.created + view.failed == 3
    async with place.transaction() as tx:
        live = {one.slug for one in await live_posts(tx)}
        problems = await import_problems(tx, made)
    assert {"post-1", "post-3"} <= live
    assert [one.row for one in problems] == [2] * view.failed


ODD_FIELDS: list[dict[str, Any]] = [
    {"slug": "s" * 5000},
    {"slug": "!!!"},
    {"title": "\0"},
    {"title": "a\0b"},
    {"feature_image": "https://x.example/a b"},
    {"feature_image": "http://[bad"},
    {"feature_image": "https://x.example/" + "c" * 5000},
    {"uuid": "u" * 100_000},
    {"custom_excerpt": "e" * 100_000},
    {"updated_at": "9999-12-31T23:59:59.999Z"},
    {"published_at": 9e99},
]


@pytest.mark.parametrize("odd", ODD_FIELDS, ids=range(len(ODD_FIELDS)))
async def test_an_odd_field_costs_no_post(place: Place, worker: Database, odd: dict[str, Any]) -> None:
    view = await imported(
        place, worker, ghost(ghost_post(1, **odd), ghost_post(2)), "ghost-posts", kind="posts"
    )
    assert (view.state, view.created) == ("done", 2)


async def test_a_nul_in_a_title_of_substack_ends_no_import(place: Place, worker: Database) -> None:
    content = substack(
        ["1.one,2022-01-01,true,,newsletter,everyone,On\0e,,", "2.t\0wo,2022-01-01,true,,,everyone,Gone,,"],
        {"1.one": "<p>x</p>"},
    )
    view = await imported(place, worker, content, "substack-posts", kind="posts")
    assert (view.state, view.created, view.failed) == ("done", 1, 1)


async def test_a_broken_picture_costs_its_post_nothing(place: Place, worker: Database) -> None:
    html = (
        '<p>x</p><img src="__GHOST_URL__/content/images/a.png"><img src="__GHOST_URL__/content/images/b.png">'
    )
    files = {"content/images/a.png": picture()[:40], "content/images/b.png": picture()}
    content = zipped({"ghost.json": ghost(ghost_post(1, html=html)), **files})
    view = await imported(place, worker, content, "ghost-posts", kind="posts")
    assert (view.state, view.created) == ("done", 1)
    async with place.transaction() as tx:
        assert await tx.value("select count(*) from media") == 1
        assert "a.png is left out" in await tx.value("select string_agg(what, '|') from import_loss")


async def test_what_is_refused_is_refused_by_the_page(place: Place) -> None:
    odd = ghost(
        ghost_post(1), tags=[{"id": {}}], posts_tags=[{"post_id": [], "sort_order": "x"}, {"sort_order": 1}]
    )
    broken = bytearray(zipped({"posts.csv": "post_id\n" * 50, "a.html": "x"}))
    async with web_of() as client, await creator(client, place) as studio:
        for content, status in ((odd, 303), (bytes(broken[:-30]), 422), (b"{}", 422)):
            sent = await studio.post(f"{STUDIO}/imports/posts", files={"file": ("x", content)})
            assert sent.status_code == status


async def test_a_whole_publication_is_told_its_way_in(place: Place) -> None:
    with pytest.raises(Invalid, match="godwit import --account"):
        open_posts(zipped({"publication.json": "{}", "readers.jsonl": ""}))


async def test_what_has_no_time_in_the_file_has_that_of_its_import(place: Place, worker: Database) -> None:
    none = {"created_at": None, "updated_at": None, "published_at": None}
    await imported(
        place,
        worker,
        ghost(ghost_post(1, **none), ghost_post(2, **none, status="draft")),
        "ghost-posts",
        kind="posts",
    )
    rows = ["3.three,,true,,newsletter,everyone,Three,,", "4.four,,false,,newsletter,everyone,Four,,"]
    content = substack(rows, {"3.three": "<p>x</p>", "4.four": "<p>y</p>"})
    await imported(place, worker, content, "substack-posts", kind="posts")
    async with place.transaction() as tx:
        live = {one.slug: one.published_at for one in await live_posts(tx)}
        drafts = [row.updated_at for row in await tx.rows("select updated_at from draft")]
    assert set(live) == {"post-1", "three"}
    assert all((clock.now() - at).total_seconds() < 600 for at in [*live.values(), *drafts])


@pytest.mark.parametrize("bad", ["\x10", "\x07", "\x0b", "\ufffe", "\uffff"])
async def test_a_character_that_no_page_may_hold_comes_by_no_file(
    place: Place, worker: Database, bad: str
) -> None:
    """Field case K: one of them made a whole feed invalid; the post comes in without it."""
    one = ghost_post(1, title=f"A{bad}B", html=f"<p>A{bad}B</p><pre>A{bad}B</pre>", custom_excerpt=f"A{bad}B")
    await imported(place, worker, ghost(one), "ghost-posts", kind="posts")
    row = f'2.two,2021-03-02T10:00:00.000Z,true,,newsletter,everyone,"A{bad}B","A{bad}B",'
    await imported(
        place, worker, substack([row], {"2.two": f"<p>A{bad}B</p>"}), "substack-posts", kind="posts"
    )
    async with place.transaction() as tx:
        found = await live_posts(tx, bodies=True)
    assert len(found) == 2
    for post in found:
        assert (post.title, post.excerpt) == ("AB", "AB")
        assert "AB" in post.html
        assert bad not in post.html
    async with web_of() as application, visitor(application) as site:
        feed = (await site.get("/feed.xml")).content
    assert [one.text for one in ElementTree.fromstring(feed).iterfind(".//item/title")] == ["AB", "AB"]


@pytest.mark.parametrize("error", [ValueError("no number"), RecursionError(), KeyError("x"), MemoryError()])
async def test_whatever_a_text_raises_is_its_posts_failure(
    place: Place, worker: Database, error: Exception
) -> None:
    """Three libraries read a stranger's text: what they raise ends no import."""

    def text() -> Body:
        raise error

    made = await begun(place, ghost(ghost_post(1)), "ghost-posts", kind="posts")
    async with worker.transaction(place.id) as tx:
        run = await begin_run(tx, made)
    assert run
    work = Work(
        worker, ClaimedJob(*(1, place.id, "", "", {}, "", 1, 1, 1, "", "", clock.now())), lambda: False
    )
    foreign = ForeignPost("ghost:1", "One", "one", None, None, body=text)
    prepared = await running.prepared(work, run, foreign, Pictures(), Fetcher(looker()))
    assert prepared.ready is None
    assert prepared.problem
    assert prepared.problem.startswith("It cannot be read (")
