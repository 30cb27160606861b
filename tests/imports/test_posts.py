"""Posts from Ghost and Substack: dates, tags, drafts, access, pictures, addresses, losses (B1 to B5)."""

import json
from datetime import UTC, datetime

import pytest

from app.base.database import Database
from app.base.errors import Invalid
from app.imports import ImportView, file_to_import, import_problems
from app.plans import grant, plan_named
from app.posts import live_post, live_posts, media_file, newest_releases, redirected
from tests.imports.foreign_files import ghost, ghost_post, picture, substack, zipped
from tests.imports.makers import as_if_its_worker_died, begun, imported, run_once, seen
from tests.readers.makers import Place, a_place


@pytest.fixture
async def place(web: Database) -> Place:
    return await a_place(web)


async def brought(place: Place, worker: Database, content: bytes, **more) -> ImportView:
    found = await file_to_import(content)
    assert found.kind == "posts"
    return await imported(place, worker, content, found.format, kind="posts", **more)


async def losses(place: Place) -> list[str]:
    async with place.transaction() as tx:
        rows = await tx.rows("select thing, what from import_loss order by id")
    return [f"{row.thing}: {row.what}" for row in rows]


async def test_posts_come_with_their_dates_and_all_at_once(
    place: Place, worker: Database, owner: Database
) -> None:
    """B1: one published version; nobody is mailed."""
    view = await brought(place, worker, ghost(*(ghost_post(number) for number in range(1, 13))))
    assert (view.state, view.created, view.rows) == ("done", 12, 12)
    async with place.transaction() as tx:
        found = await live_posts(tx, limit=20)
        releases = await newest_releases(tx)
        assert await tx.value("select count(*) from broadcast") == 0
    assert [one.published_at.day for one in found] == list(range(12, 0, -1))
    assert len(releases) == 1
    assert len(releases[0].changes) == 12
    async with owner.transaction() as tx:
        assert await tx.value("select count(*) from job where kind <> 'import_readers'") == 0


async def test_the_same_file_again_changes_nothing(place: Place, worker: Database) -> None:
    """B2."""
    content = ghost(ghost_post(1), ghost_post(2, status="draft", published_at=None))
    await brought(place, worker, content)
    again = await brought(place, worker, content)
    assert (again.created, again.unchanged) == (0, 2)
    async with place.transaction() as tx:
        assert len(await newest_releases(tx)) == 1
        assert await tx.value("select count(*) from post") == 2


async def test_an_import_of_posts_that_is_stopped_goes_on(
    place: Place, worker: Database, owner: Database
) -> None:
    """B2."""
    content = ghost(*(ghost_post(number) for number in range(1, 13)))
    made = await begun(place, content, "ghost-posts", kind="posts")
    await run_once(worker, lambda: True)
    async with place.transaction() as tx:
        assert await live_posts(tx) == []
    assert (await seen(place, made)).rows == 1
    await as_if_its_worker_died(owner)
    await run_once(worker)
    assert (await seen(place, made)).created == 12
    async with place.transaction() as tx:
        assert len(await live_posts(tx)) == 12


async def test_a_dry_run_of_posts_changes_nothing(place: Place, worker: Database) -> None:
    dry = await brought(place, worker, ghost(ghost_post(1), ghost_post(2)), dry_run=True)
    assert (dry.state, dry.created) == ("done", 2)
    async with place.transaction() as tx:
        assert await tx.value("select count(*) from post") == 0
        assert await tx.value("select count(*) from release") == 0


async def test_drafts_access_tags_and_words_for_search_come_along(place: Place, worker: Database) -> None:
    """Scheduled and only mailed ones are drafts; internal tags are told."""
    content = ghost(
        ghost_post(
            1, visibility="members", custom_excerpt="In short", feature_image="https://x.example/c.jpg"
        ),
        ghost_post(2, visibility="paid", type="page"),
        ghost_post(3, status="draft", published_at=None),
        ghost_post(4, status="scheduled", published_at="2031-01-01T00:00:00.000Z"),
        ghost_post(5, status="sent"),
        ghost_post(6, visibility="tiers", codeinjection_head="<script>x</script>"),
        tags=[{"id": "t1", "name": "Sea"}, {"id": "t2", "name": "#hidden"}, {"id": "t3", "name": "Birds"}],
        posts_tags=[
            {"post_id": "p1", "tag_id": "t1", "sort_order": 1},
            {"post_id": "p1", "tag_id": "t2", "sort_order": 2},
            {"post_id": "p1", "tag_id": "t3", "sort_order": 0},
        ],
        posts_meta=[{"post_id": "p1", "meta_title": "For search", "feature_image_alt": "A bird"}],
    )
    view = await brought(place, worker, content)
    assert view.created == 6
    async with place.transaction() as tx:
        rows = await tx.rows(
            "select d.*, p.live_revision_id is not null as live from draft d join post p on p.id = d.post_id"
            " order by d.slug"
        )
    first = rows[0]
    assert (first.tags, first.access, first.excerpt) == (["Birds", "Sea"], "subscribers", "In short")
    assert (first.cover, first.cover_alt, first.seo_title) == (
        "https://x.example/c.jpg",
        "A bird",
        "For search",
    )
    assert [(row.live, row.access, row.kind) for row in rows[1:]] == [
        (True, "paid", "page"),
        (False, "everyone", "post"),
        (False, "everyone", "post"),
        (False, "everyone", "post"),
        (True, "plan", "post"),
    ]
    told = "\n".join(await losses(place))
    for words in (
        "#hidden",
        "scheduled for 2031",
        "was mailed and never stood",
        "chosen tiers",
        "injected code",
    ):
        assert words in told


async def test_a_post_for_chosen_tiers_opens_to_no_more_readers_than_there(
    place: Place, worker: Database
) -> None:
    """Field case M: not to everybody who pays. Of several tiers the first is its plan, and that is told."""
    view = await brought(
        place,
        worker,
        ghost(
            ghost_post(1, visibility="tiers"),
            ghost_post(2, visibility="tiers"),
            ghost_post(3, visibility="tiers"),
            products=[{"id": "g", "name": "Gold"}, {"id": "s", "name": "Silver"}],
            posts_products=[
                {"post_id": "p1", "product_id": "g", "sort_order": 0},
                {"post_id": "p2", "product_id": "s", "sort_order": 1},
                {"post_id": "p2", "product_id": "g", "sort_order": 0},
            ],
        ),
    )
    assert view.created == 3
    anna, ben = await place.reader("anna@example.org"), await place.reader("ben@example.org")
    async with place.transaction() as tx:
        await grant(tx, anna.id, await plan_named(tx, "", "Gold"), source="comp", reason="x", by="Ana")
        await grant(tx, ben.id, await plan_named(tx, "", "Bronze"), source="comp", reason="x", by="Ana")
        rows = await tx.rows(
            "select v.access, p.name, entitled(r.account_id, r.id, v.access, v.plan_id) as open"
            " from revision v join plan p on p.id = v.plan_id cross join reader r order by v.slug, r.email"
        )
    assert [(row.access, row.name, row.open) for row in rows] == [
        *(("plan", "Gold", True), ("plan", "Gold", False)) * 2,
        *(("plan", "Chosen tiers", False),) * 2,
    ]
    told = "\n".join(await losses(place))
    assert "for the tiers Gold, Silver: a post has one plan here, Gold" in told


async def test_a_post_is_not_called_changed_because_it_was_brought(place: Place, worker: Database) -> None:
    await brought(place, worker, ghost(ghost_post(1)))
    async with place.transaction() as tx:
        row = await tx.row(
            "select d.updated_at, v.created_at from draft d join revision v on v.post_id = d.post_id"
        )
        (one,) = await live_posts(tx)
    assert row
    assert row.updated_at == row.created_at == datetime(2021, 3, 2, 10, tzinfo=UTC)
    assert one.updated_at == row.created_at


async def test_pictures_in_the_file_are_kept_here_and_others_are_named(
    place: Place, worker: Database
) -> None:
    """B5."""
    html = (
        '<p>x</p><img src="__GHOST_URL__/content/images/size/w600/2021/03/bird.png" alt="A bird">'
        '<img src="https://cdn.example/far.jpg"><img src="__GHOST_URL__/content/images/gone.png">'
    )
    content = zipped(
        {
            "export/ghost.json": ghost(
                ghost_post(1, html=html, feature_image="__GHOST_URL__/content/images/2021/03/bird.png")
            ),
            "export/content/images/2021/03/bird.png": picture(),
        }
    )
    await brought(place, worker, content)
    async with place.transaction() as tx:
        post = await live_post(tx, "post-1")
        media = await tx.row("select hash, name from media")
    assert media
    assert media.name == "bird.png"
    assert f"/media/{media.hash}.png" in post.html
    assert post.cover == f"/media/{media.hash}.png"
    assert await media_file(f"{media.hash}.png")
    told = await losses(place)
    assert "Post 1: 1 picture still loads from cdn.example." in told
    assert any("not in the file: /content/images/gone.png" in one for one in told)


async def test_what_was_never_rendered_is_read_from_its_own_format(place: Place, worker: Database) -> None:
    """B3: Lexical and Mobiledoc, and their cards."""
    lexical = {
        "root": {
            "type": "root",
            "children": [
                {"type": "heading", "tag": "h2", "children": [{"type": "text", "text": "Head"}]},
                {
                    "type": "paragraph",
                    "children": [
                        {"type": "text", "text": "bold", "format": 1},
                        {
                            "type": "link",
                            "url": "https://x.example/?a=1&b=2",
                            "children": [{"type": "text", "text": "link"}],
                        },
                    ],
                },
                {
                    "type": "list",
                    "listType": "number",
                    "children": [{"type": "listitem", "children": [{"type": "text", "text": "one"}]}],
                },
                {"type": "paywall"},
                {"type": "product", "children": []},
            ],
        }
    }
    mobiledoc = {
        "version": "0.3.1",
        "markups": [["strong"], ["a", ["href", "https://x.example/"]]],
        "atoms": [["soft-return", "", {}]],
        "cards": [["markdown", {"markdown": "*card*"}], ["strange", {}]],
        "sections": [
            [1, "p", [[0, [0], 1, "bold"], [1, [], 0, 0], [0, [1], 1, "link"]]],
            [3, "ul", [[[0, [], 0, "item"]]]],
            [10, 0],
            [10, 1],
        ],
    }
    await brought(
        place,
        worker,
        ghost(
            ghost_post(1, html=None, lexical=json.dumps(lexical), status="draft"),
            ghost_post(2, html=None, mobiledoc=json.dumps(mobiledoc), status="draft"),
            ghost_post(3, html=None, lexical="{", status="draft"),
        ),
    )
    async with place.transaction() as tx:
        texts = [row.markdown for row in await tx.rows("select markdown from draft order by slug")]
    for words in ("## Head", "**bold**", "[link](https://x.example/?a=1&b=2)", "1. one", "<!--paywall-->"):
        assert words in texts[0]
    for words in ("**bold**", "[link](https://x.example/)", "- item", "*card*"):
        assert words in texts[1]
    told = "\n".join(await losses(place))
    assert "“product” is left out" in told
    assert "“strange” is left out" in told
    assert "no whole Lexical document" in told


async def test_the_paywall_of_both_products_stays(place: Place, worker: Database) -> None:
    ghosts = "<p>free</p><!--members-only--><p>secret</p>"
    await brought(place, worker, ghost(ghost_post(1, html=ghosts, visibility="paid")))
    stack = '<p>free</p><div class="paywall-jump"></div><p>secret</p>'
    await brought(
        place,
        worker,
        substack(["1.walled,2022-01-01,true,,newsletter,only_paid,Walled,,"], {"1.walled": stack}),
    )
    async with place.transaction() as tx:
        rows = await tx.rows("select preview_html, excerpt from revision")
    assert len(rows) == 2
    assert all("free" in row.preview_html for row in rows)
    assert not [row for row in rows if "secret" in row.preview_html + row.excerpt]


async def test_a_substack_comes_with_old_addresses_that_lead_on(place: Place, worker: Database) -> None:
    """B4."""
    content = substack(
        [
            "11.hello,2022-01-02T03:04:05.000Z,true,,newsletter,everyone,Hello &amp; welcome,Sub&amp;title,",
            "12.draft,,false,,newsletter,everyone,Later,,",
            "13.pod,2022-02-02T00:00:00Z,true,,podcast,only_free,Pod,,https://x.example/a.mp3",
            "14.gone,2022-02-03T00:00:00Z,true,,newsletter,everyone,Gone,,",
        ],
        {
            "11.hello": "<h1>Hi</h1><p>x</p>",
            "12.draft": "<p>d</p>",
            "13.pod": "<p>p</p>",
            "99.orphan": "<p>o</p>",
        },
        **{"email_list.x.csv": b"email\n"},
    )
    view = await brought(place, worker, content)
    assert (view.created, view.failed) == (3, 1)
    async with place.transaction() as tx:
        post = await live_post(tx, "hello")
        assert await redirected(tx, "/p/hello") == "/hello"
        (problem,) = await import_problems(tx, view.id)
    assert (post.title, post.published_at.year, post.excerpt) == ("Hello & welcome", 2022, "Sub&title")
    assert "Substack left it out" in problem.reason
    told = "\n".join(await losses(place))
    for words in ("Its recording stays", "99.orphan.html belongs to no row", "list of subscribers"):
        assert words in told


async def test_two_posts_that_want_one_address_both_stand(place: Place, worker: Database) -> None:
    """B4."""
    await brought(place, worker, ghost(ghost_post(1, slug="about"), ghost_post(2, slug="about", type="page")))
    async with place.transaction() as tx:
        slugs = {row.slug for row in await tx.rows("select slug from post")}
    assert slugs == {"about", "about-2"}
    assert [one for one in await losses(place) if "It stands at /about-2" in one]


async def test_too_long_a_post_fails_alone_and_says_so(place: Place, worker: Database) -> None:
    long = f"<p>{'word ' * 70_000}</p>"
    view = await brought(
        place, worker, ghost(ghost_post(1, html=long), ghost_post(2), ghost_post(3, title="t" * 400))
    )
    assert (view.created, view.failed) == (2, 1)
    assert any("title is cut" in one for one in await losses(place))


@pytest.mark.parametrize(
    "content",
    [b"{}", b'{"db": []}', b'{"posts": 3}', b"[1]", b"PK\x03\x04broken", zipped({"a.txt": "x"}), ghost()],
)
async def test_what_holds_no_posts_is_refused(content: bytes) -> None:
    with pytest.raises(Invalid):
        await file_to_import(content)


async def test_the_wrapper_may_be_missing(place: Place, worker: Database) -> None:
    assert (await brought(place, worker, ghost(ghost_post(1), wrapped=False))).created == 1
