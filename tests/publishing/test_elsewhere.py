"""Links to other sites are asked for by the guarded way out, and what is not there is told, never judged."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from app.egress import Policy
from app.publishing.elsewhere import ALL, MOST, ask_elsewhere
from app.publishing.links import Lead
from tests.egress.makers import LOOPBACK, allowing, calling
from tests.egress.servers import Server, a_server
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post


@pytest.fixture
async def site() -> AsyncIterator[Server]:
    """Answers what its path says, /404 that; at /get it knows GET alone, and at /slow it says nothing."""
    async with a_server() as made:

        async def say(writer: asyncio.StreamWriter) -> None:
            method, path, _ = made.got[-1].decode().split(" ", 2)
            if path == "/slow":
                await asyncio.sleep(60)
            status = (
                path[1:] if path[1:].isdigit() else "404" if (method, path) == ("HEAD", "/get") else "200"
            )
            writer.write(f"HTTP/1.1 {status} Told\r\nContent-Length: 0\r\n\r\n".encode())

        made.say = say
        yield made


def lead(url: str, name: str = "“it”") -> Lead:
    return Lead(name, "elsewhere", path=url)


@pytest.mark.parametrize("path", ["/", "/get", "/301", "/401", "/403", "/429", "/999"])
async def test_what_may_well_be_there_is_not_told(site: Server, path: str) -> None:
    """A site that lets nobody ask, or leads on, is no wrong link."""
    async with calling(allowing(LOOPBACK)) as client:
        asked = await ask_elsewhere(client, [lead(site.url(path=path))])
    assert (asked.wrong, asked.links, asked.tried) == ((), 1, 1)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/404", "a page that is not there"),
        ("/410", "a page that is not there"),
        ("/503", "trouble just now"),
    ],
)
async def test_what_is_not_there_is_told(site: Server, path: str, says: str) -> None:
    async with calling(allowing(LOOPBACK)) as client:
        asked = await ask_elsewhere(client, [lead(site.url(path=path)), lead(site.url())])
    assert len(asked.wrong) == 1
    assert asked.wrong[0].startswith("“it” leads to ")
    assert says in asked.wrong[0]
    assert asked.words == "Asked for: 2 of 2 addresses on other sites."


async def test_one_that_is_silent_costs_its_seconds_and_no_others(site: Server) -> None:
    leads = [lead(site.url(path="/slow"), "“slow”"), *(lead(site.url(path=f"/{n}x")) for n in range(20))]
    begun = asyncio.get_running_loop().time()
    async with calling(allowing(LOOPBACK)) as client:
        asked = await ask_elsewhere(client, leads, each=1)
    assert asyncio.get_running_loop().time() - begun < ALL / 2
    assert asked.wrong == ("“slow” could not be opened just now: 127.0.0.1 did not answer in time.",)
    assert asked.tried == 21


async def test_an_address_is_asked_for_once_and_not_more_than_so_many(site: Server) -> None:
    leads = [lead(site.url(path=f"/a{n}")) for n in range(MOST + 5)] + [lead(site.url(path="/a0"))]
    async with calling(allowing(LOOPBACK)) as client:
        asked = await ask_elsewhere(client, leads)
    assert (asked.links, asked.tried, len(site.got)) == (MOST + 5, MOST, MOST)
    assert f"nor more than {MOST} at a time" in asked.words


async def test_nothing_inside_is_asked_for(site: Server) -> None:
    """W3: the writer hears that it cannot be asked for, and nothing of what is there."""
    async with calling(allowing("10.0.0.0/8")) as client:
        asked = await ask_elsewhere(client, [lead(site.url()), lead(site.url(scheme="https"), "“inside”")])
    assert asked.wrong == (
        "“inside” leads to an address that cannot be asked for: The address is not one that Godwit may call: "
        "it must lead to a server on the public internet.",
    )
    assert (asked.tried, site.connections) == (1, 0)


async def test_in_testing_mode_none_is_asked_for_or_blamed() -> None:
    async with calling(Policy(public=False)) as client:
        asked = await ask_elsewhere(client, [lead("https://example.org/")])
    assert (asked.wrong, asked.links, asked.tried) == ((), 1, 0)


async def test_the_publish_page_asks_beside_its_list(
    web: Database, site: Server, monkeypatch: pytest.MonkeyPatch, settings_env: Settings
) -> None:
    """By a fragment where there is JavaScript, by a page of its own where there is none."""
    monkeypatch.setenv("GODWIT_EGRESS_ALLOW", LOOPBACK)
    settings.cache_clear()
    desk = await make_desk(web)
    draft = await make_post(web, desk, "Away", f"[gone]({site.url(path='/404')}#part) [there]({site.url()})")
    plain = await make_post(web, desk, "At home", "Words")
    async with served(web, desk) as here:
        shown = (await here.studio.get(f"posts/{draft.post_id}/publish")).text
        assert f"posts/{draft.post_id}/publish/links" in shown
        assert "/publish/links" not in (await here.studio.get(f"posts/{plain.post_id}/publish")).text
        assert site.got == []
        told = (await here.studio.get(f"posts/{draft.post_id}/publish/links")).text
        assert "“gone” leads to a page that is not there: the site answers 404." in told
        assert "Asked for: 2 of 2 addresses on other sites." in told
        nothing = (await here.studio.get(f"posts/{plain.post_id}/publish/links")).text
        assert "No link leads to another site." in nothing
