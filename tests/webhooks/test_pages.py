"""Webhooks in the studio: added, told once, changed, paused, tested, deleted; each page with scripts or without."""

import re
from uuid import uuid4

from tests.broadcasts.makers import Studio
from tests.webhooks.conftest import Receiver

SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]{40,}")


def typed(receiver: Receiver, **more: str | list[str]) -> dict[str, str | list[str]]:
    """The form of a new webhook."""
    return {"id": str(uuid4()), "url": receiver.url, "description": "The site", "told": "all", **more}


async def added(studio: Studio, receiver: Receiver, **more: str | list[str]) -> str:
    """Add one by its form; the address of its page."""
    form = typed(receiver, **more)
    answer = await studio.page.post(studio.at("/endpoints"), data=form)
    assert answer.status_code == 200, answer.text
    return studio.at(f"/endpoints/{form['id']}")


async def test_an_empty_list_says_what_webhooks_are_and_how_to_begin(studio: Studio) -> None:
    shown = (await studio.page.get(studio.at("/endpoints"))).text
    assert "No other program is told yet" in shown
    assert "Add a webhook" in shown
    assert "/api/docs/webhooks" in shown


async def test_every_page_opens(studio: Studio, receiver: Receiver) -> None:
    where = await added(studio, receiver)
    told = await studio.page.post(f"{where}/test", follow_redirects=True)
    assert told.status_code == 200, told.text
    for place in ("", "/edit", "/delete", "/again"):
        shown = await studio.page.get(where + place)
        assert shown.status_code == 200, shown.text
    listed = await studio.page.get(studio.at("/endpoints"))
    assert "The site" in listed.text
    for key in ("own", "netlify", "slack", "nonsense"):
        assert (await studio.page.get(studio.at(f"/endpoints/new?for={key}"))).status_code == 200
