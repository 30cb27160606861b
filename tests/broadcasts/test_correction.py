"""A correction to exactly those who got an email: they are kept as a segment, and mailed (audiences A1)."""

from uuid import UUID, uuid4

import pytest

from app.audiences import ReaderFilter, segments
from app.broadcasts.queries import target_of
from app.mail import Accepted, Refused, Unknown
from app.publishing import Email
from app.readers import unsubscribe
from tests.broadcasts.makers import Studio, handed
from tests.posts.makers import make_post
from tests.publishing.makers import press_of, press_publish

pytestmark = pytest.mark.anyio

_STATES = """
select reader_id, state from send join broadcast b using (account_id, mailing_id) where b.id = :id
"""


async def got(studio: Studio, broadcast_id: UUID) -> set[UUID]:
    """Whose copy was handed over and not refused."""
    async with studio.web.transaction(studio.desk.account_id) as tx:
        rows = await tx.rows(_STATES, id=broadcast_id)
    return {row.reader_id for row in rows if row.state in ("sent", "unknown")}


async def test_those_who_got_an_email_get_its_correction_and_nobody_else(studio: Studio) -> None:
    before = await studio.press("Another bird")
    await studio.read_audience(before)
    await handed(studio, before, 12, Accepted())
    wrong = await studio.press("The brid")
    await studio.read_audience(wrong)
    for count, outcome in ((4, Accepted()), (2, Unknown("no answer")), (1, Refused("no such user"))):
        await handed(studio, wrong, count, outcome)
    assert (await studio.api.post(f"/broadcasts/{wrong}/cancel")).status_code == 200
    whose = await got(studio, wrong)
    assert len(whose) == 6
    shown = (await studio.page.get(studio.at(f"/broadcasts/{wrong}"))).text
    assert f"/readers/segments/new?got={wrong}" in shown
    form = (await studio.page.get(studio.at(f"/readers/segments/new?got={wrong}"))).text
    assert "who got the email “The brid”" in form
    assert 'value="Got “The brid”"' in form
    kept = await studio.page.post(
        studio.at("/readers/segments"), data={"name": "Got it", "filter": f"got={wrong}"}
    )
    assert kept.status_code == 303, kept.text
    leaves = next(iter(whose))
    async with studio.web.transaction(studio.desk.account_id) as tx:
        (segment,) = await segments(tx)
        await unsubscribe(tx, leaves, None, "enough")
    assert segment.filter == ReaderFilter(got=wrong)
    listed = (await studio.page.get(studio.at(f"/readers?got={wrong}"))).text
    assert 'data-figure="matching" data-value="6"' in listed
    draft = await make_post(studio.web, studio.desk, "A correction")
    press = press_of(studio.desk, draft.post_id, site=False, email=Email(segment=segment.id, shown=5))
    made = await press_publish(studio.web, press, studio.desk.account_id)
    assert made.broadcast_id
    async with studio.worker.transaction(studio.desk.account_id) as tx:
        target = await target_of(tx, made.broadcast_id)
        assert target
        rows = await tx.rows(target.readers(before=None))
    assert {row.reader_id for row in rows} == whose - {leaves}


async def test_an_email_that_is_not_there_was_got_by_nobody(studio: Studio) -> None:
    listed = await studio.page.get(studio.at(f"/readers?got={uuid4()}"))
    assert 'data-figure="matching" data-value="0"' in listed.text
    assert (await studio.page.get(studio.at("/readers?got=x"))).status_code == 422
