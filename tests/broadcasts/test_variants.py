"""Who may not read a post whole gets the mail of its preview; a segment gets it and nobody else."""

from app.audiences import ReaderFilter, make_segment
from app.base import clock, ids
from app.base.database import Database
from app.broadcasts.queries import broadcast_view, target_of
from app.ledger import content_of, delivery, record_chunk
from app.ledger.contents import Blanks, blanks_of, mail_for
from app.ledger.feeder import DeliverSends
from app.plans import grant, plan_named
from app.publishing import Email
from tests.ledger.makers import Audience, Told, permit
from tests.posts.makers import make_desk, make_post
from tests.publishing.makers import make_readers, press_of, press_publish

PAID = "For all.\n\n<!--paywall-->\n\nThe secret."


async def test_readers_without_access_get_the_preview_and_a_button(web: Database, worker: Database) -> None:
    """Field case M: a post for Gold is mailed whole to Gold alone."""
    desk = await make_desk(web)
    await make_readers(web, desk, 3)
    async with web.transaction(desk.account_id) as tx:
        gold, silver = await plan_named(tx, "gold", "Gold"), await plan_named(tx, "silver", "Silver")
        rows = await tx.rows("select id, email from reader order by email")
        for row, plan_id in zip(rows, (gold, silver), strict=False):
            await grant(tx, row.id, plan_id, source="comp", reason="a friend", by="Ana")
    draft = await make_post(web, desk, "Gold post", PAID, access="plan", plan_id=gold)
    made = await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    assert made.broadcast_id
    async with worker.transaction(desk.account_id) as tx:
        target = await target_of(tx, made.broadcast_id)
        assert target
        await record_chunk(tx, target.mailing_id, target.readers())
        variants = {
            row.email: row.variant
            for row in await tx.rows(
                "select r.email, s.variant from send s join reader r on r.id = s.reader_id"
            )
        }
        content = await content_of(tx, target.mailing_id)
    assert variants == {
        "reader1@example.org": "full",
        "reader2@example.org": "preview",
        "reader3@example.org": "preview",
    }
    order = DeliverSends(target.mailing_id, 10)
    work = await permit(worker, Audience(desk.account_id, desk.newsletter_id), order)
    batch = await delivery.claim(work, order, Told())
    assert batch
    assert {blanks.address: blanks.variant for blanks in batch.blanks} == variants
    whole = mail_for(content, ids.new(), Blanks(ids.new(), "a@example.org", "A"), clock.now())
    part = mail_for(content, ids.new(), Blanks(ids.new(), "a@example.org", "A", "preview"), clock.now())
    assert whole.html
    assert whole.text
    assert part.html
    assert part.text
    assert "The secret." in whole.html
    assert "The secret." in whole.text
    assert "secret" not in part.html + part.text
    assert "For all." in part.html
    assert f"{content.site_url}/gold-post" in part.text
    assert ">Read on<" in part.html
    assert ">Read on<" not in whole.html
    assert "/unsubscribe/" in part.html


async def test_a_batch_remembers_which_variant_each_reader_gets(web: Database, worker: Database) -> None:
    """L6; a batch that was claimed before there were two holds two values a reader."""
    reader = ids.new()
    assert blanks_of({str(reader): ["a@example.org", "A"]}) == [Blanks(reader, "a@example.org", "A", "full")]
    assert blanks_of({str(reader): ["a@example.org", "A", "preview"]})[0].variant == "preview"


async def test_a_segment_gets_it_and_nobody_else_also_when_it_changes(
    web: Database, worker: Database
) -> None:
    """Field case C: the segment is changed while the audience is built."""
    desk = await make_desk(web)
    await make_readers(web, desk, 4)
    async with web.transaction(desk.account_id) as tx:
        segment = await make_segment(tx, "Birders", ReaderFilter(all_tags=("birds",)), "Ana")
        for n in (1, 2):
            await tx.execute(
                "insert into reader_tag (account_id, reader_id, tag)"
                " select account_id, id, 'birds' from reader where email = :email",
                email=f"reader{n}@example.org",
            )
    draft = await make_post(web, desk)
    press = press_of(desk, draft.post_id, email=Email(segment=segment, shown=2))
    made = await press_publish(web, press, desk.account_id)
    assert made.broadcast_id
    async with web.transaction(desk.account_id) as tx:
        await tx.execute('update segment set filter = \'{"all": ["other"]}\'')
        view = await broadcast_view(tx, made.broadcast_id)
        assert view
        assert (view.segment_name, view.left_out["outside"]) == ("Birders", 2)
    async with worker.transaction(desk.account_id) as tx:
        target = await target_of(tx, made.broadcast_id)
        assert target
        await record_chunk(tx, target.mailing_id, target.readers())
        assert await tx.value("select count(*) from send") == 2
