"""The page of a published version: which webhooks were told, live, in agreement with page and API."""

import re

from app.base.database import Database
from app.fakes import FakeReceiver, Reply
from tests.broadcasts.makers import Studio
from tests.jobs.makers import working
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import due_now


async def publish(studio: Studio, title: str) -> int:
    """A post to the site; the number of the version."""
    post = (await studio.api.post("/posts", json={"title": title, "markdown": "Words."})).json()["id"]
    live = await studio.api.post(f"/posts/{post}/publish", json={"site": True, "email": None})
    return live.json()["release"]


async def add(studio: Studio, receiver: Receiver, name: str) -> str:
    """A webhook that is told of versions alone."""
    given = {"url": receiver.url, "events": ["release.published"], "description": name}
    return (await studio.api.post("/endpoints", json=given)).json()["id"]


async def parts(studio: Studio, release: int) -> str:
    """The region of its page."""
    page = (await studio.page.get(studio.at(f"/releases/{release}"))).text
    return re.findall(r'<section class="card" id="told".*?</section>', page, re.DOTALL)[0]


async def test_a_version_nobody_was_told_of_says_so(studio: Studio) -> None:
    told = await parts(studio, await publish(studio, "One"))
    assert "No webhook was told of this version." in told
    assert 'data-state="nobody"' in told


async def test_page_stream_and_api_tell_the_same(studio: Studio, receiver: Receiver) -> None:
    """Delivered, failed with the reason, and that nothing more will come."""
    await add(studio, receiver, "Builder")
    number = await publish(studio, "One")
    told = await parts(studio, number)
    assert "The webhooks are being told." in told
    receiver.script.replies.append(Reply(422))
    where = studio.at(f"/releases/{number}/live")
    async with working(studio.worker, "webhooks"), studio.page.stream("GET", where) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        streamed = "".join([line + "\n" async for line in stream.aiter_lines()])
    assert streamed.rstrip().endswith("event: done\ndata: done")
    versions = [int(found) for found in re.findall(r'data-version="(\d+)"', streamed)]
    assert versions == sorted(set(versions))
    assert len(versions) > 1
    (one,) = (await studio.api.get(f"/releases/{number}/deliveries")).json()["items"]
    assert (one["state"], one["release"]) == ("failed", number)
    told = await parts(studio, number)
    assert f'data-id="{one["id"]}" data-state="failed"' in told
    assert "It answered 422" in told
    assert ">Builder</a>" in told
    assert 'data-state="missed"' in told
    page = (await studio.page.get(studio.at(f"/releases/{number}"))).text
    assert "hx-sse:connect" not in page


async def test_a_skipped_one_names_the_version_that_went_instead(studio: Studio, receiver: Receiver) -> None:
    """E7: with no worker two versions; the older one's page leads to the newer."""
    await add(studio, receiver, "Builder")
    first, second = await publish(studio, "One"), await publish(studio, "Two")

    async def ended() -> bool:
        found = (await studio.api.get(f"/releases/{second}/deliveries")).json()["items"]
        return [one["state"] for one in found] == ["delivered"]

    async with working(studio.worker, "webhooks"):
        await until(ended)
    older = await parts(studio, first)
    assert re.search(r'data-id="[^"]+" data-state="superseded"', older)
    assert f'href="{studio.at(f"/releases/{second}")}">Version {second}</a>' in older
    assert "was published before its turn" in older
    assert "The webhook was told." in await parts(studio, second)
    assert len(receiver.script.calls) == 1


async def test_what_is_delivered_again_stands_for_what_it_repeats(studio: Studio, receiver: Receiver) -> None:
    """Figures count webhooks: a failed one that was delivered again is delivered."""
    await add(studio, receiver, "Builder")
    receiver.script.replies.append(Reply(422))
    number = await publish(studio, "One")

    async def states() -> list[str]:
        found = (await studio.api.get(f"/releases/{number}/deliveries")).json()["items"]
        return [one["state"] for one in found]

    async def are(*wanted: str) -> bool:
        return await states() == list(wanted)

    async with working(studio.worker, "webhooks"):
        await until(lambda: are("failed"))
        (one,) = (await studio.api.get(f"/releases/{number}/deliveries")).json()["items"]
        assert (await studio.api.post(f"/deliveries/{one['id']}/redeliver")).status_code == 202
        await until(lambda: are("delivered", "failed"))
    told = await parts(studio, number)
    assert "The webhook was told." in told
    assert "delivered again" in told
    assert [call.header("godwit-redelivery") for call in receiver.script.calls] == ["", "1"]


async def test_home_names_a_webhook_that_needs_somebody(studio: Studio, receiver: Receiver) -> None:
    """Switched off by its answer, with the reason and the way there; switched on again, it is gone."""
    made = await add(studio, receiver, "Builder")
    receiver.script.replies.append(Reply(410))
    await publish(studio, "One")

    async def off() -> bool:
        return (await studio.api.get(f"/endpoints/{made}")).json()["state"] == "disabled"

    async with working(studio.worker, "webhooks"):
        await until(off)
    where = studio.at(f"/endpoints/{made}")
    home = (await studio.page.get(studio.at())).text
    assert 'data-need="webhook"' in home
    assert f'href="{where}"' in home
    assert "is switched off: It answered 410" in home
    listed = (await studio.page.get(studio.at("/endpoints"))).text
    assert "1 webhook is switched off" in listed
    on = await studio.page.post(f"{where}/resume", follow_redirects=True)
    assert "It is on." in on.text
    assert 'data-need="webhook"' not in (await studio.page.get(studio.at())).text


async def test_home_names_what_waits_though_its_webhook_is_on(
    studio: Studio, owner: Database, receiver: Receiver
) -> None:
    """E2: a hold is seen, where it is and what to do; let go, it is gone."""
    made = await add(studio, receiver, "Builder")
    spoil = "update endpoint_secret set sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 1)"
    async with owner.transaction() as tx:
        await tx.execute(spoil)
    await publish(studio, "One")
    where = studio.at(f"/endpoints/{made}")

    async def waits() -> bool:
        return 'data-need="webhook_waits"' in (await studio.page.get(studio.at())).text

    async def nothing_waits() -> bool:
        return not await waits()

    async with working(studio.worker, "webhooks"):
        await until(waits)
        shown = (await studio.page.get(where)).text
        assert "though it is on" in shown
        assert "Let them go" in shown
        async with owner.transaction() as tx:
            await tx.execute(spoil)
        await studio.page.post(f"{where}/resume")
        await until(nothing_waits)
    assert receiver.script.calls
    assert "though it is on" not in (await studio.page.get(where)).text


async def test_the_stream_of_a_version_that_is_not_there_is_a_404(studio: Studio) -> None:
    assert (await studio.page.get(studio.at("/releases/9/live"))).status_code == 404


async def test_what_was_sent_is_told_of_the_tries_at_which_something_was(
    studio: Studio, receiver: Receiver, owner: Database
) -> None:
    """W4: of one that nobody took, the page says that nothing was sent, and shows no headers."""
    away = FakeReceiver(receiver.script)
    await away.start()
    await away.stop()
    given = {"url": f"{away.url}/hook", "events": ["release.published"]}
    made = (await studio.api.post("/endpoints", json=given)).json()["id"]
    await publish(studio, "One")

    async def tried(times: int) -> str | None:
        found = (await studio.api.get(f"/endpoints/{made}/deliveries")).json()["items"]
        return found[0]["id"] if found and found[0]["attempts"] == times and found[0]["next_at"] else None

    receiver.script.replies.append(Reply(500))
    async with working(studio.worker, "webhooks"):
        delivery = await until(lambda: tried(1))
        where = studio.at(f"/endpoints/deliveries/{delivery}")
        first = (await studio.page.get(where)).text
        back = FakeReceiver(receiver.script, port=away.port)
        await back.start()
        await due_now(owner)
        await until(lambda: tried(2))
        await back.stop()
    assert (first.count("Nothing was sent."), first.count("what was sent and what came back")) == (1, 0)
    assert "webhook-signature" not in first
    shown = (await studio.page.get(where)).text
    assert shown.count("Nothing was sent.") == 1
    assert re.findall(r"The (\w+) try: what was sent", shown) == ["second"]
    assert "webhook-signature" in shown
