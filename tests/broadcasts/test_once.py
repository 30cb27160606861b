"""A post goes to a newsletter once; an email that nobody got does not count (E1, Decision 24)."""

import asyncio
from uuid import UUID

import pytest

from app.ledger import delivery, reconciliation
from app.ledger.feeder import DeliverSends
from app.mail import Accepted, Outcome, Refused, Unknown
from tests.broadcasts.makers import Studio, handed, mailing_of
from tests.ledger.makers import Audience, Told, permit

pytestmark = pytest.mark.anyio
LOST = Told(answer=lambda mails: Unknown("no answer"), keep=lambda mails: False)
AGAIN = {"email": {}}


async def begun(studio: Studio) -> tuple[UUID, str]:
    """An email to twelve, and where its post is published."""
    broadcast_id = await studio.press()
    await studio.read_audience(broadcast_id)
    told = (await studio.api.get(f"/broadcasts/{broadcast_id}")).json()
    return broadcast_id, f"/posts/{told['post']}/publish"


async def cancel(studio: Studio, broadcast_id: UUID) -> dict:
    answered = await studio.api.post(f"/broadcasts/{broadcast_id}/cancel")
    assert answered.status_code == 200, answered.text
    return answered.json()


async def record_says_not(studio: Studio, other: UUID) -> None:
    """The record of what nobody answered is whole and has nothing. `other`: an email to get a lease for."""
    audience = Audience(studio.desk.account_id, studio.desk.newsletter_id)
    work = await permit(studio.worker, audience, DeliverSends(await mailing_of(studio, other), 1))
    async with studio.worker.transaction(audience.account_id) as tx:
        batch = await tx.value("select id from batch where state = 'unknown'")
    about = await reconciliation.question(work, batch)
    assert about is not None
    await reconciliation.resolve(work, about, await reconciliation.ask(about, LOST))


async def test_cancelled_after_a_record_that_has_nothing_it_counts_as_never_mailed(studio: Studio) -> None:
    broadcast_id, publish = await begun(studio)
    await handed(studio, broadcast_id, 6, Unknown("no answer"), LOST)
    await record_says_not(studio, broadcast_id)
    told = await cancel(studio, broadcast_id)
    assert (told["sent"], told["unknown"]) == (0, 0)
    assert "has it already" not in (await studio.page.get(studio.at(publish))).text
    again = await studio.api.post(publish, json=AGAIN)
    assert again.status_code == 202, again.text
    assert (await studio.api.post(publish, json=AGAIN)).status_code == 409


async def test_while_nobody_knows_it_counts_and_once_the_record_has_nothing_it_does_not(
    studio: Studio,
) -> None:
    other, _ = await begun(studio)
    broadcast_id, publish = await begun(studio)
    await handed(studio, broadcast_id, 6, Unknown("no answer"), LOST)
    await cancel(studio, broadcast_id)
    assert (await studio.api.post(publish, json=AGAIN)).status_code == 409
    await record_says_not(studio, other)
    assert (await studio.api.post(publish, json=AGAIN)).status_code == 202


async def test_with_a_call_still_out_it_counts(studio: Studio) -> None:
    broadcast_id, publish = await begun(studio)
    audience = Audience(studio.desk.account_id, studio.desk.newsletter_id)
    wanted = DeliverSends(await mailing_of(studio, broadcast_id), 6)
    work = await permit(studio.worker, audience, wanted)
    assert await delivery.claim(work, wanted, LOST) is not None
    await cancel(studio, broadcast_id)
    assert (await studio.api.post(publish, json=AGAIN)).status_code == 409


@pytest.mark.parametrize(("outcome", "status"), [(Accepted(), 409), (Refused("no such user"), 202)])
async def test_what_was_sent_counts_and_what_was_refused_does_not(
    studio: Studio, outcome: Outcome, status: int
) -> None:
    broadcast_id, publish = await begun(studio)
    await handed(studio, broadcast_id, 1, outcome)
    assert (await studio.api.post(publish, json=AGAIN)).status_code == 409, "it is open"
    await cancel(studio, broadcast_id)
    assert (await studio.api.post(publish, json=AGAIN)).status_code == status


async def test_what_a_person_had_sent_again_while_nobody_knew_proves_nothing(studio: Studio) -> None:
    broadcast_id, publish = await begun(studio)
    await handed(studio, broadcast_id, 6, Unknown("no answer"), LOST)
    said = {"as": "planned", "readers": "all"}
    assert (await studio.api.post(f"/broadcasts/{broadcast_id}/resolve", json=said)).status_code == 200
    await cancel(studio, broadcast_id)
    assert (await studio.api.post(publish, json=AGAIN)).status_code == 409


async def test_two_presses_after_an_email_that_nobody_got_mail_once(studio: Studio) -> None:
    broadcast_id, publish = await begun(studio)
    await handed(studio, broadcast_id, 6, Refused("no such user"))
    await cancel(studio, broadcast_id)
    done = await asyncio.gather(*(studio.api.post(publish, json=AGAIN) for _ in range(4)))
    assert sorted(one.status_code for one in done) == [202, 409, 409, 409]
    open_ones = [
        one for one in (await studio.api.get("/broadcasts")).json()["items"] if one["state"] != "cancelled"
    ]
    assert len(open_ones) == 1
