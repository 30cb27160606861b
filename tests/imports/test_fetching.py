"""Pictures that a file of posts does not hold come along, fetched the guarded way; the rest is told."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from app.imports.posts.fetching import Fetcher
from app.jobs import Continue
from app.posts import live_post, live_posts, media_file
from tests.egress.makers import LOOPBACK, allowing, calling
from tests.egress.servers import Server, a_server
from tests.imports.foreign_files import ghost, ghost_post, picture
from tests.imports.makers import as_if_its_worker_died, begun, run_once, seen
from tests.imports.test_posts import brought, losses
from tests.readers.makers import Place, a_place


@pytest.fixture
async def place(web: Database) -> Place:
    return await a_place(web)


@pytest.fixture
async def site() -> AsyncIterator[Server]:
    """Pictures at every path, but: /404, /on and /round lead on, /page is none, /drop and
    /half hang up."""
    async with a_server() as made:

        async def say(writer: asyncio.StreamWriter) -> None:
            path = made.got[-1].decode("latin-1").split(" ")[1]
            moved = {"/on": "/bird.png", "/round": "/round", "/inside": "https://169.254.169.254/latest/"}
            if path == "/drop":
                writer.transport.abort()
            elif path == "/half":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n" + picture())
                writer.close()
            elif leads := moved.get(path):
                writer.write(f"HTTP/1.1 302 Found\r\nLocation: {leads}\r\nContent-Length: 0\r\n\r\n".encode())
            else:
                status = "404 Gone" if path == "/404" else "200 OK"
                body = b"<html>" if path == "/page" else picture()
                writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)

        made.say = say
        yield made


@pytest.fixture
def allowed(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loopback may be called."""
    monkeypatch.setenv("GODWIT_EGRESS_ALLOW", LOOPBACK)
    settings.cache_clear()


def images(site: Server, *paths: str) -> str:
    return "<p>x</p>" + "".join(f'<img src="{site.url(path=path)}" srcset="x 2x" alt="">' for path in paths)


async def test_pictures_of_other_sites_are_kept_here(
    place: Place, worker: Database, site: Server, allowed: None
) -> None:
    html = images(site, "/bird.png?w=600", "/on", "/bird.png?w=600")
    await brought(place, worker, ghost(ghost_post(1, html=html, feature_image=site.url(path="/cover.png"))))
    async with place.transaction() as tx:
        post = await live_post(tx, "post-1")
        media = await tx.rows("select hash, name from media")
    assert [row.name for row in media] == ["bird.png"]  # the same bytes three times
    assert post.html.count(f"/media/{media[0].hash}.png") >= 3
    assert post.cover == f"/media/{media[0].hash}.png"
    assert "127.0.0.1" not in post.html
    assert await media_file(f"{media[0].hash}.png")
    assert not [one for one in await losses(place) if "picture" in one]
    assert len(site.got) == 4  # bird, cover, and /on with what it leads to


async def test_what_cannot_be_fetched_is_told_and_stays_where_it_was(
    place: Place, worker: Database, site: Server, allowed: None
) -> None:
    html = images(site, "/404", "/round", "/page", "/drop", "/half", "/good.png", "/inside")
    await brought(place, worker, ghost(ghost_post(1, html=html)))
    async with place.transaction() as tx:
        post = await live_post(tx, "post-1")
    told = "\n".join(await losses(place))
    for path, reason in (
        ("/404", "the site answers 404."),
        ("/round", "it leads on more than 3 times."),
        ("/page", "no picture"),
        ("/drop", ""),
        ("/half", "did not send all of it."),
    ):
        assert f"{site.url(path=path)} could not be fetched: " in told, path
        assert reason in told, path
        assert f'src="{site.url(path=path)}"' in post.html
    assert "Post 1: 6 pictures still load from 127.0.0.1." in told
    assert "169.254" not in told


async def test_a_trial_fetches_nothing_and_says_what_would_be(
    place: Place, worker: Database, site: Server, allowed: None
) -> None:
    await brought(place, worker, ghost(ghost_post(1, html=images(site, "/a.png", "/b.png"))), dry_run=True)
    assert site.connections == 0
    told = "\n".join(await losses(place))
    assert "2 pictures would be fetched from elsewhere." in told
    assert "still load" not in told


async def test_nothing_inside_is_fetched(place: Place, worker: Database, site: Server) -> None:
    """W3: nothing was allowed here."""
    await brought(place, worker, ghost(ghost_post(1, html=images(site, "/a.png"))))
    assert site.connections == 0
    assert "Post 1: 1 picture still loads from 127.0.0.1." in await losses(place)


async def test_a_worker_that_is_to_end_leaves_the_post_to_the_next(
    place: Place, worker: Database, owner: Database, site: Server, allowed: None
) -> None:
    """E9: it does not fetch on while it should go, and no post comes without its pictures."""
    content = ghost(ghost_post(1, html=images(site, "/a.png")))
    made = await begun(place, content, "ghost-posts", kind="posts")
    assert await run_once(worker, stopping=lambda: True) == Continue()
    async with place.transaction() as tx:
        assert not await live_posts(tx)
    await as_if_its_worker_died(owner)
    await run_once(worker)
    assert (await seen(place, made)).created == 1
    async with place.transaction() as tx:
        assert "127.0.0.1" not in (await live_post(tx, "post-1")).html


async def test_a_site_that_does_not_answer_is_not_asked_for_ever(site: Server) -> None:
    async with calling(allowing(LOOPBACK)) as client:
        fetcher = Fetcher(client)
        for _ in range(5):
            (found,) = await fetcher.fetch([site.url(path="/drop")])
            assert found.wrong
    assert len(site.got) == 3
