"""An email through a worker's loops, over a server that drops at every step."""

from collections import Counter
from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from app.base.settings import Settings
from app.fakes import FakeSmtp, Fault
from app.mail import current_provider
from tests.broadcasts.makers import Studio, a_studio
from tests.ledger.makers import working
from tests.smtp.makers import a_server, in_settings
from tests.waiting import until
from tests.web_server import serving

pytestmark = pytest.mark.anyio


@pytest.fixture
async def fake(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeSmtp]:
    """The server that the settings name; nobody waits for anything longer than some seconds."""
    async with a_server() as made:
        in_settings(made, monkeypatch, SMTP_DOT_TIMEOUT="6", SEND_TIMEOUT="10")
        yield made
        await current_provider().aclose()


async def test_500_readers_over_a_server_that_drops_at_every_step(
    fake: FakeSmtp, web: Database, worker: Database
) -> None:
    """It must show 2 (L1, L4): each at most once; the lost are listed, and a person settles them."""
    # Two at the door of each kind: five calls in a row that do not reach it would pause the email, and those
    # that fail there are told before those that succeed.
    before = [
        Fault(step, "drop", every=3 if n < 2 else 31, after=n, times=2 if n < 2 else 4)
        for n, step in enumerate(("greeting", "EHLO", "MAIL", "RCPT", "DATA", "body"))
    ]
    after = [
        Fault("end", "drop", every=40, kept=True, times=9),
        Fault("end", "drop", every=47, kept=False, times=7),
        Fault("end", "stall", every=150, kept=True, times=2),
    ]
    fake.order(*before, *after, Fault("end", "say", text="451 4.3.0 Later", every=60, times=5))
    async with serving() as url, a_studio(url, web, worker, readers=500) as studio:
        email = f"/broadcasts/{await studio.press()}"
        async with working(worker):
            figures = await over(studio, email)
            assert [fault.fired for fault in fake.faults] == [2, 2, 4, 4, 4, 4, 9, 7, 2, 5]
            lost = [address for fault in after for address in fault.hit]
            assert len(lost) == 18
            assert (figures["sent"], figures["unknown"]) == (482, 18)
            copies = Counter(mail.recipient for mail in fake.kept)
            assert max(copies.values()) == 1
            assert len(copies) == 482 + 9 + 2
            arrived = {mail.recipient for mail in fake.kept if not mail.answered}
            assert arrived == {*after[0].hit, *after[2].hit}

            unsure = (await studio.api.get(f"{email}/sends?state=unknown")).json()["items"]
            readers = {one["email"]: one["reader"] for one in unsure}
            listed = (await studio.page.get(studio.at(f"{email}/unsure"))).text
            assert sorted(readers) == sorted(lost)
            assert all(address in listed for address in lost)
            # The server's owner looked into its log: eleven are there, seven are not.
            there = {"as": "sent", "readers": [readers[one] for one in arrived]}
            assert (await studio.page.post(studio.at(f"{email}/resolve"), data=there)).status_code == 303
            gone = {"as": "planned", "readers": [readers[one] for one in after[1].hit]}
            told = (await studio.api.post(f"{email}/resolve", json=gone)).json()
            assert (told["resolved"], told["unknown"], told["possible_doubles"]) == (7, 0, 7)
            assert (await over(studio, email))["sent"] == 500
    assert Counter(mail.recipient for mail in fake.kept) == Counter(dict.fromkeys({*copies, *lost}, 1))


async def over(studio: Studio, email: str) -> dict[str, int]:
    """What the API says of the email once nothing waits; its parts add up whenever it is asked."""

    async def quiet() -> dict[str, int] | None:
        told = (await studio.api.get(email)).json()
        parts = sum(told[part] for part in ("sent", "skipped", "failed", "unknown", "to_go"))
        assert told["audience"] == parts
        assert told["state"] != "paused", told["reason"]
        return told if parts == 500 and told["to_go"] == 0 else None

    return await until(quiet, seconds=120)
