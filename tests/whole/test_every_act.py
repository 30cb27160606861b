"""What is pressed on an email: each act in each state, and while the provider refuses us."""

import asyncio
import re
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from app.base.database import Database
from app.mail import Misconfigured, probe_refusing
from tests.broadcasts.makers import Studio, a_studio, figures_in, handed, in_state, parts_of

PARTS = ("sent", "failed", "skipped", "unknown", "to_go")
HTMX = {"HX-Request": "true"}
ACTS = ("pause", "resume", "cancel", "retry-failed", "send-to-missing")
#: The acts that fit a mailing of which two copies failed.
FITS = {
    "building": {"pause", "cancel"},
    "sending": {"pause", "cancel", "retry-failed", "send-to-missing"},
    "paused": {"resume", "cancel", "retry-failed", "send-to-missing"},
    "finished": {"retry-failed", "send-to-missing"},
    "cancelled": set(),
}


@pytest.fixture
async def studio(godwit: str, web: Database, worker: Database) -> AsyncIterator[Studio]:
    """Ana's studio."""
    async with a_studio(godwit, web, worker) as made:
        yield made


@pytest.mark.parametrize("state", FITS)
async def test_every_act_in_every_state_fits_or_names_the_state(studio: Studio, state: str) -> None:
    """L5, L7; field case B: pressing stop in every state."""
    for act in ACTS:
        by_api, by_page = await in_state(studio, state), await in_state(studio, state)
        told = await studio.api.post(f"/broadcasts/{by_api}/{act}")
        pressed = await studio.page.post(studio.at(f"/broadcasts/{by_page}/{act}"))
        if act in FITS[state]:
            assert told.status_code == 200, told.text
            assert told.json()["audience"] == sum(told.json()[part] for part in PARTS)
            assert pressed.status_code == 303
            assert pressed.headers["location"] == studio.at(f"/broadcasts/{by_page}")
        else:
            assert (told.status_code, pressed.status_code) == (409, 409), act
            assert f"is {state}" in told.json()["detail"]
            assert f"is {state}" in pressed.text
        shown = (await studio.page.get(studio.at(f"/broadcasts/{by_page}"))).text
        figures = figures_in(shown)
        assert parts_of(figures) == figures["audience"]


async def test_a_provider_that_refuses_us_is_named_and_can_be_asked_now(studio: Studio) -> None:
    """L10: the page says why nothing goes, and when it will be asked; whoever mended it need not wait."""
    broadcast_id = await in_state(studio, "sending")
    await handed(studio, broadcast_id, 1, Misconfigured("535 5.7.8 the password is wrong"))
    url = studio.at(f"/broadcasts/{broadcast_id}")
    paused = (await studio.page.get(url)).text
    assert "refuses us: 535 5.7.8 the password is wrong" in paused
    assert re.findall(r'data-act="(\w+)"', paused)[:2] == ["probe", "resume"]
    resumed = await studio.page.post(f"{url}/resume", headers=HTMX)
    assert "because the mailbox refuses us: 535 5.7.8 the password is wrong. Nothing is lost" in resumed.text
    asked = await studio.page.post(f"{url}/probe", headers=HTMX)
    assert "The provider is being asked." in asked.text
    press = asyncio.create_task(studio.page.post(f"{url}/probe", headers=HTMX))
    assert await probe_refusing(studio.worker) == {"sends", "messages"}
    going = await press
    assert "The provider lets us in: what waited goes now." in going.text
    assert "refuses us" not in going.text
    assert (await studio.page.post(studio.at(f"/broadcasts/{uuid4()}/probe"))).status_code == 404
