"""What the page says before the press."""

from dataclasses import replace

from app.base.database import Database
from app.publishing import check, mail_preview, plan
from app.publishing.preview import words_for
from tests.posts.makers import make_desk, make_post
from tests.publishing.makers import account, make_readers, press_of, press_publish


async def test_the_plan_says_who_gets_it_and_who_not(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 5)
    await make_readers(web, desk, 2, "gone", "unsubscribed")
    await make_readers(web, desk, 1, "new", "pending")
    draft = await make_post(web, desk)
    async with web.transaction(desk.account_id) as tx:
        told = await plan(tx, draft.post_id)
    assert (told.audience.will, told.audience.left_out.total) == (5, 3)
    assert told.mailed_before is None
    assert told.checks.stops == told.checks.think == ()
    made = await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    async with web.transaction(desk.account_id) as tx:
        after = await plan(tx, draft.post_id)
    assert after.mailed_before is not None
    assert after.mailed_before.id == made.broadcast_id


async def test_the_check_list_tells_what_stops_and_what_to_think_again(web: Database) -> None:
    desk = await make_desk(web)
    here = await account(web, desk)
    empty = check(await make_post(web, desk, "", ""), here)
    assert empty.stops == ("Give the post a title.", "Write something first: the post has no text yet.")
    nearly = await make_post(web, desk, "Hello {frist_name}", "Dear {first_nam}, " + "word " * 30_000)
    told = check(nearly, replace(here, postal_address=""))
    assert told.stops == ()
    assert [words for words in told.stops_mail if "postal address is missing" in words] == list(
        told.stops_mail
    )
    assert [part for part in ("{first_name}", "102 kB") if part in " ".join(told.think)] == [
        "{first_name}",
        "102 kB",
    ]
    assert check(nearly, here).stops_mail == ()


async def test_a_preview_shows_the_mail_with_a_name_and_without(web: Database) -> None:
    """Field case F: preview and send share one renderer."""
    desk = await make_desk(web)
    here = await account(web, desk)
    draft = await make_post(
        web, desk, "Hi", 'Dear {first_name, "friend"}, %recipient.name% <script>x</script>'
    )
    assert "Dear Anna, %recipient.name%" in mail_preview(draft, here)
    assert "Dear friend, %recipient.name%" in mail_preview(draft, here, reader="nameless")
    assert "Dear friend" in words_for(draft.writing)
    assert "<script" not in mail_preview(draft, here) + words_for(draft.writing)


async def test_a_field_in_the_title_is_filled_wherever_the_mail_shows_it(web: Database) -> None:
    """Contract: subject, preheader and body; the subject is the title unless another is typed."""
    desk = await make_desk(web)
    draft = await make_post(web, desk, 'For {first_name, "a <friend>"}', "Words.")
    here = await account(web, desk)
    named, nameless = mail_preview(draft, here), mail_preview(draft, here, reader="nameless")
    assert ">For Anna</h1>" in named
    assert ">For a &lt;friend&gt;</h1>" in nameless
    assert "first_name" not in named + nameless
