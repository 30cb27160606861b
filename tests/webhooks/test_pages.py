"""Webhooks in the studio: added, told once, changed, paused, tested, deleted, with scripts or without."""

import re
from uuid import uuid4

import pytest

from app.base.database import Database
from app.fakes.receiver import Reply
from app.webhooks import EVENT_TYPES
from app.webhooks.catalogue import CHOOSABLE, TEST
from app.webhooks.presets import doubt_of
from tests.accounts.makers import become
from tests.broadcasts.makers import Studio
from tests.jobs.makers import working
from tests.waiting import until
from tests.webhooks.conftest import Receiver
from tests.webhooks.makers import rows, tell

SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]{40,}")
Form = dict[str, str | list[str]]


def typed(receiver: Receiver, **more: str | list[str]) -> Form:
    """The form of a new webhook."""
    return {"id": str(uuid4()), "url": receiver.url, "description": "The site", "told": "all", **more}


async def added(studio: Studio, receiver: Receiver, **more: str | list[str]) -> str:
    """Add one by its form; the address of its page."""
    form = typed(receiver, **more)
    answer = await studio.page.post(studio.at("/endpoints"), data=form)
    assert answer.status_code == 200, answer.text
    return studio.at(f"/endpoints/{form['id']}")


async def with_deliveries(studio: Studio, receiver: Receiver) -> str:
    """One that took an event, refused the next and could not take the third; its id."""
    made = (await studio.api.post("/endpoints", json={"url": receiver.url, "events": ["*"]})).json()["id"]
    receiver.script.replies += [Reply(200), Reply(422, body=b"not <me>"), Reply(500)]

    async def ended(times: int) -> bool:
        told = (await studio.api.get(f"/endpoints/{made}/deliveries")).json()["items"]
        return [one["attempts"] for one in told] == [1] * times and "pending" not in [
            one["state"] for one in told
        ]

    async with working(studio.worker, "webhooks"):
        for n in range(1, 4):
            await tell(studio.web, account=studio.desk.account_id)
            await until(lambda n=n: ended(n))
    return made


async def test_an_empty_list_says_what_webhooks_are_and_how_to_begin(studio: Studio) -> None:
    shown = (await studio.page.get(studio.at("/endpoints"))).text
    assert "No other program is told yet" in shown
    assert "Add a webhook" in shown
    assert "/api/docs/webhooks" in shown


async def test_every_event_can_be_chosen_and_is_explained(studio: Studio) -> None:
    """One word a thing: form, page for receivers and what is announced name the same types."""
    assert set(CHOOSABLE) | {TEST.type} == EVENT_TYPES
    form = (await studio.page.get(studio.at("/endpoints/new"))).text
    assert set(re.findall(r'name="events" value="([a-z._]+)"', form)) == set(CHOOSABLE)
    docs = (await studio.page.get("/api/docs/webhooks")).text
    assert [name for name in EVENT_TYPES if f"<code>{name}</code>" not in docs] == []


async def test_a_secret_stands_in_the_answer_that_makes_it_and_nowhere_else(
    studio: Studio, receiver: Receiver, owner: Database
) -> None:
    """Without JavaScript too: no redirect carries it, no cookie, no later page, no row."""
    form = typed(receiver)
    made = await studio.page.post(studio.at("/endpoints"), data=form)
    assert made.status_code == 200
    (secret,) = set(SECRET.findall(made.text))
    assert made.headers["cache-control"] == "no-store"
    assert "set-cookie" not in made.headers
    where = studio.at(f"/endpoints/{form['id']}")
    for place in ("", "/edit", "/delete", "/redeliver/range"):
        shown = await studio.page.get(where + place)
        assert shown.status_code == 200
        assert not SECRET.search(shown.text)
    again = await studio.page.post(studio.at("/endpoints"), data=form)
    assert (again.status_code, again.headers["location"]) == (303, where)
    told = await studio.page.get(where)
    assert "added already" in told.text
    assert not SECRET.search(told.text)
    (kept,) = await rows(owner, "select * from endpoint_secret")
    assert secret.encode() not in bytes(kept.sealed)


async def test_a_new_secret_is_shown_once_and_a_reload_makes_no_second(
    studio: Studio, receiver: Receiver, owner: Database
) -> None:
    where = await added(studio, receiver)
    page = (await studio.page.get(where)).text
    newest = re.findall(r'name="newest" value="([^"]+)"', page)[0]
    form = {"newest": newest, "overlap_hours": "24"}
    made = await studio.page.post(f"{where}/rotate", data=form)
    assert made.status_code == 200
    assert SECRET.search(made.text)
    assert "until then each call is signed with both" in made.text
    again = await studio.page.post(f"{where}/rotate", data=form, follow_redirects=True)
    assert "The secret was changed meanwhile" in again.text
    assert not SECRET.search(again.text)
    assert "Two secrets are valid" in again.text
    assert len(await rows(owner, "select id from endpoint_secret")) == 2


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"url": ""}, "must begin with https://"),
        ({"url": "http://93.184.216.34/x"}, "must begin with https://"),
        ({"url": "https://localhost/x"}, 'href="#url"'),
        ({"url": "https://a:b@example.com/"}, "Leave that out"),
        ({"url": "https://10.0.0.1/"}, 'href="#url"'),
        ({"told": "some"}, "Choose at least one event, or everything."),
        ({"told": "some", "events": ["post.burnt"]}, "There is no such event."),
        ({"description": "d" * 201}, "the most is 200"),
    ],
    ids=["none", "plain", "inside", "password", "private", "no-event", "odd-event", "long"],
)
async def test_what_cannot_be_comes_back_as_it_was_typed(
    studio: Studio, receiver: Receiver, wrong: Form, told: str
) -> None:
    """W3: with what is wrong and what to do, and nothing is added."""
    form = typed(receiver) | {"description": "Kept words"} | wrong
    answer = await studio.page.post(studio.at("/endpoints"), data=form)
    assert answer.status_code == 422
    assert told in answer.text
    assert f'value="{form["description"]}"' in answer.text
    assert "No other program is told yet" in (await studio.page.get(studio.at("/endpoints"))).text


async def test_a_preset_fills_in_its_events_and_tells_what_the_other_side_does(studio: Studio) -> None:
    """Chats honestly: they take only what has their own form."""
    netlify = (await studio.page.get(studio.at("/endpoints/new?for=netlify"))).text
    assert re.findall(r'value="([a-z._]+)" checked', netlify) == ["some", "release.published"]
    assert "It looks at no signature" in netlify
    slack = (await studio.page.get(studio.at("/endpoints/new?for=slack"))).text
    assert 'data-direct="no"' in slack
    assert "sent there directly, it would be refused" in slack


async def test_what_is_changed_stands_and_the_rest_stays(studio: Studio, receiver: Receiver) -> None:
    where = await added(studio, receiver)
    form = {"url": receiver.url, "description": "The archive", "told": "some", "events": ["post.published"]}
    saved = await studio.page.post(where, data=form, follow_redirects=True)
    assert "Saved." in saved.text
    assert "The archive" in saved.text
    edit = (await studio.page.get(f"{where}/edit")).text
    assert re.findall(r'value="([a-z._]+)" checked', edit) == ["some", "post.published"]
    wrong = await studio.page.post(where, data=form | {"url": "nowhere"})
    assert wrong.status_code == 422


async def test_each_figure_opens_its_list_and_the_list_is_as_long(studio: Studio, receiver: Receiver) -> None:
    """L7 of webhooks: numbers agree between figure, list and API; filters by type and version."""
    made = await with_deliveries(studio, receiver)
    where = studio.at(f"/endpoints/{made}")
    shown = (await studio.page.get(where)).text
    figures = {
        name: int(count) for name, count in re.findall(r'data-figure="(\w+)" data-value="(\d+)"', shown)
    }
    states = {name: count for name, count in figures.items() if name in ("delivered", "failed", "retrying")}
    assert figures["all"] == sum(states.values())
    assert all(states.values())
    for state, count in states.items():
        opened = (await studio.page.get(f"{where}?state={state}")).text
        assert re.findall(r'<tr role="row" data-id="[^"]+" data-state="(\w+)"', opened) == [state] * count
        told = (await studio.api.get(f"/endpoints/{made}/deliveries?state={state}")).json()["items"]
        assert len(told) == count
    none = (await studio.page.get(f"{where}?type=import.finished")).text
    assert "None is like that." in none
    for odd in ("state=nonsense", "type=nonsense", "release=x"):
        assert (await studio.page.get(f"{where}?{odd}")).status_code == 422


async def test_a_paused_one_says_what_waits_and_goes_on_when_it_is_resumed(
    studio: Studio, receiver: Receiver
) -> None:
    where = await added(studio, receiver)
    paused = await studio.page.post(f"{where}/pause", follow_redirects=True)
    assert "It is paused: what it would be told waits here." in paused.text
    refused = await studio.page.post(f"{where}/test", follow_redirects=True)
    assert "This webhook is paused." in refused.text
    on = await studio.page.post(f"{where}/resume", follow_redirects=True)
    assert "It is on. Nothing waited." in on.text


async def test_a_test_event_leads_to_its_delivery(studio: Studio, receiver: Receiver) -> None:
    where = await added(studio, receiver)
    sent = await studio.page.post(f"{where}/test")
    assert sent.status_code == 303
    shown = (await studio.page.get(sent.headers["location"])).text
    assert "endpoint.test" in shown
    assert 'id="standing"' in shown
    assert 'data-state="pending"' in shown
    again = await studio.page.post(sent.headers["location"] + "/redeliver", follow_redirects=True)
    assert "Its event is delivered again" in again.text
    assert "Delivered again" in again.text


async def test_deleting_names_its_size_and_wants_the_host_typed(studio: Studio, receiver: Receiver) -> None:
    where = await added(studio, receiver)
    await studio.page.post(f"{where}/test")
    asked = (await studio.page.get(f"{where}/delete")).text
    assert "1 delivery that waits is given up." in asked
    wrong = await studio.page.post(f"{where}/delete", data={"host": "example.com"})
    assert wrong.status_code == 422
    assert (await studio.page.get(where)).status_code == 200
    host = receiver.url.split("/")[2]
    gone = await studio.page.post(f"{where}/delete", data={"host": host}, follow_redirects=True)
    assert "The site is deleted." in gone.text
    assert (await studio.page.get(where)).status_code == 404


async def test_a_range_is_counted_before_it_is_delivered_again(studio: Studio, receiver: Receiver) -> None:
    made = await with_deliveries(studio, receiver)
    where = studio.at(f"/endpoints/{made}")
    before = (await studio.api.get(f"/endpoints/{made}/deliveries?limit=200")).json()["items"]
    asked = (
        await studio.page.get(f"{where}/redeliver/range?since=2020-01-01T00:00&until=2099-01-01T00:00")
    ).text
    size = int(re.findall(r'data-figure="redelivery" data-value="(\d+)"', asked)[0])
    assert size == len({one["event"] for one in before})
    form = dict(re.findall(r'type="hidden" name="(since|until)" value="([^"]+)"', asked))
    done = await studio.page.post(f"{where}/redeliver/range", data=form, follow_redirects=True)
    assert f"{size} events are delivered again." in done.text
    after = (await studio.api.get(f"/endpoints/{made}/deliveries?limit=200")).json()["items"]
    assert len(after) == len(before) + size
    backwards = await studio.page.get(
        f"{where}/redeliver/range?since=2099-01-01T00:00&until=2020-01-01T00:00"
    )
    assert backwards.status_code == 422
    assert (await studio.page.get(f"{where}/redeliver/range?since=x&until=y")).status_code == 422
    for odd in ("x", "2026-01-01", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"):
        refused = await studio.page.post(f"{where}/redeliver/range", data=form | {"since": odd})
        assert refused.status_code == 422, odd


async def test_the_chosen_ones_are_delivered_again(studio: Studio, receiver: Receiver) -> None:
    made = await with_deliveries(studio, receiver)
    where = studio.at(f"/endpoints/{made}")
    chosen = re.findall(r'name="deliveries" value="([^"]+)"', (await studio.page.get(where)).text)
    done = await studio.page.post(
        f"{where}/redeliver", data={"deliveries": chosen[:2]}, follow_redirects=True
    )
    assert "2 events are delivered again." in done.text
    none = await studio.page.post(f"{where}/redeliver", follow_redirects=True)
    assert "Nothing was chosen." in none.text
    odd = await studio.page.post(f"{where}/redeliver", data={"deliveries": "x"})
    assert odd.status_code == 422


async def test_editors_press_again_owners_alone_add_and_see_whole_addresses(
    studio: Studio, receiver: Receiver, owner: Database
) -> None:
    """The address of a build hook is its secret: who may not change it reads the host alone."""
    where = await added(studio, receiver)
    assert f">{receiver.url}<" in (await studio.page.get(where)).text
    async with owner.transaction() as tx:
        await become(tx, "editor")
    shown = (await studio.page.get(where)).text
    assert receiver.url not in shown
    assert "Send a test event" in shown
    test = (await studio.page.post(f"{where}/test")).headers["location"]
    assert receiver.url not in (await studio.page.get(test)).text
    assert (await studio.page.get(studio.at("/endpoints/new"))).status_code == 403
    assert (await studio.page.post(f"{where}/rotate")).status_code == 403
    assert (await studio.page.post(f"{where}/test")).status_code == 303
    async with owner.transaction() as tx:
        await tx.execute("update membership set role = 'writer' where role = 'editor'")
    assert (await studio.page.get(where)).status_code == 200
    assert (await studio.page.post(f"{where}/test")).status_code == 403


async def test_another_preset_keeps_what_was_typed(studio: Studio, receiver: Receiver) -> None:
    """The address by no address bar: it may be a secret. A name that is taken is offered with a number."""
    await added(studio, receiver, description="Slack")
    form = typed(receiver, description="My chat", choose="slack")
    kept = await studio.page.post(studio.at("/endpoints"), data=form)
    assert kept.status_code == 200
    assert f'value="{receiver.url}"' in kept.text
    assert 'value="My chat"' in kept.text
    fresh = await studio.page.post(studio.at("/endpoints"), data=form | {"description": ""})
    assert 'value="Slack 2"' in fresh.text
    assert len((await studio.api.get("/endpoints")).json()["items"]) == 1


async def test_an_address_that_is_hardly_meant_is_asked_about_before_it_is_added(studio: Studio) -> None:
    """A chat takes only its own form, a build hook leads to whom it is of."""
    form: Form = {"id": str(uuid4()), "url": "https://93.184.216.34/x", "told": "all", "for": "netlify"}
    asked = await studio.page.post(studio.at("/endpoints"), data=form)
    assert asked.status_code == 422
    assert "This is no address of Netlify" in asked.text
    added = await studio.page.post(studio.at("/endpoints"), data=form | {"anyway": "1"})
    assert added.status_code == 200
    assert "There is nothing to copy." in added.text
    assert doubt_of("https://hooks.slack.com/services/T/B/x", None).startswith("Slack takes only")


async def test_a_list_says_only_what_was_heard(studio: Studio, receiver: Receiver) -> None:
    """Nothing is said to work that was never called; what is given up is not said to be tried again."""
    where = await added(studio, receiver)
    listed = (await studio.page.get(studio.at("/endpoints"))).text
    assert "1 webhook. Nothing was delivered there yet." in listed
    await studio.page.post(f"{where}/delete", data={"host": "the site"})
    await with_deliveries(studio, receiver)
    listed = (await studio.page.get(studio.at("/endpoints"))).text
    assert re.search(
        r"1 webhook failed when it was called last: 1 delivery is tried again, 1 was given up", listed
    )


async def test_a_delivery_says_what_happened_and_shows_its_body_indented(
    studio: Studio, receiver: Receiver
) -> None:
    where = await added(studio, receiver)
    post = (await studio.api.post("/posts", json={"title": "Autumn reading", "markdown": "Words."})).json()[
        "id"
    ]
    await studio.api.post(f"/posts/{post}/publish", json={"site": True, "email": None})

    async def told() -> bool:
        found = (await studio.api.get(f"{where.replace(studio.at(''), '')}/deliveries")).json()["items"]
        return [one["state"] for one in found] == ["delivered"] * 2

    async with working(studio.worker, "webhooks"):
        await until(told)
    shown = (await studio.page.get(where)).text
    assert "A post came to the site: Autumn reading" in shown
    assert "post.published" in shown
    delivery = re.findall(r'href="([^"]+/deliveries/[^"]+)">A post came', shown)[0]
    page = (await studio.page.get(delivery)).text
    assert "A post came to the site: Autumn reading" in page
    assert "{\n  &#34;type&#34;: &#34;post.published&#34;" in page
    assert "{&#34;type&#34;:&#34;post.published&#34;" in page


async def test_what_is_made_again_for_a_paused_one_waits_once(studio: Studio, receiver: Receiver) -> None:
    made = await with_deliveries(studio, receiver)
    where = studio.at(f"/endpoints/{made}")
    chosen = re.findall(r'name="deliveries" value="([^"]+)"', (await studio.page.get(where)).text)
    await studio.page.post(f"{where}/pause")
    form = {"deliveries": chosen[-1:]}
    first = await studio.page.post(f"{where}/redeliver", data=form, follow_redirects=True)
    assert "1 event waits until you resume the webhook." in first.text
    second = await studio.page.post(f"{where}/redeliver", data=form, follow_redirects=True)
    assert "Nothing was added." in second.text
    assert len((await studio.api.get(f"/endpoints/{made}/deliveries?state=held")).json()["items"]) <= 2


async def test_after_resume_the_list_goes_on_before_ones_eyes(studio: Studio, receiver: Receiver) -> None:
    """What was held is seen to be delivered, and then the stream ends."""
    where = await added(studio, receiver)
    await studio.page.post(f"{where}/pause")
    await tell(studio.web, account=studio.desk.account_id)

    async def held() -> bool:
        found = (await studio.api.get(f"{where.replace(studio.at(''), '')}/deliveries")).json()["items"]
        return [one["state"] for one in found] == ["held"]

    async with working(studio.worker, "webhooks"):
        await until(held)
    shown = await studio.page.post(f"{where}/resume", follow_redirects=True)
    assert f'hx-sse:connect="{where}/live"' in shown.text
    async with working(studio.worker, "webhooks"), studio.page.stream("GET", f"{where}/live") as stream:
        streamed = "".join([line + "\n" async for line in stream.aiter_lines()])
    assert streamed.rstrip().endswith("event: done\ndata: done")
    assert re.findall(r'data-id="[^"]+" data-state="(\w+)"', streamed)[-1] == "delivered"
    assert "hx-sse:connect" not in (await studio.page.get(where)).text
