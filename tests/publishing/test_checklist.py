"""The check list: links as far as they can be tried, empty parts, the address, the domain."""

from dataclasses import replace

from app.audiences import ReaderFilter, make_segment
from app.base.database import Database
from app.posts import add_redirect
from app.publishing import check, plan
from tests.posts.clients import served
from tests.posts.makers import make_desk, make_post, publish_post
from tests.publishing.makers import account, counts, make_readers, press_of, press_publish
from tests.publishing.test_pages import hidden

LINKS = """
[there](/the-bird) [moved](/old) [archive](/archive) [absolute](http://tidelines.localhost:8000/the-bird)
[mail](mailto:a@example.org) [other site](https://example.org/x) [foot](#nowhere)
[gone](/not-there) [no address]() [half](https://) [no host](https:///x)

![](/media/a.png)

[](/the-bird)
"""


async def test_links_within_the_post_and_the_site_are_tried_and_others_are_said_not_to_be(
    web: Database,
) -> None:
    desk = await make_desk(web)
    live = await make_post(web, desk)
    await publish_post(web, desk, live)
    draft = await make_post(web, desk, "Links", LINKS)
    async with web.transaction(desk.account_id) as tx:
        await add_redirect(tx, "/old", live.post_id)
        told = (await plan(tx, draft.post_id)).checks
    said = " ".join(told.think)
    assert "“gone” leads to /not-there on your site, where there is nothing." in told.think
    assert "“foot” leads to a place that is not in the post." in told.think
    for words in ("there”", "moved", "archive”", "absolute", "“mail", "other site"):
        assert words not in said, words
    assert "1 picture has no description" in said
    assert "1 link has no words to press." in said
    assert "Links to other sites are asked for below." in told.looked
    assert told.elsewhere == 1


async def test_without_a_postal_address_no_email_leaves_and_the_site_does(
    web: Database, owner: Database
) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 2)
    draft = await make_post(web, desk)
    async with owner.transaction() as tx:
        await tx.execute("update account set postal_address = ''")
    async with served(web, desk) as here:
        page = (await here.studio.get(f"posts/{draft.post_id}/publish")).text
        assert "The email: Your postal address is missing" in page
        form = hidden(page)
        mailed = await here.studio.post(f"posts/{draft.post_id}/publish", data=form | {"where": "both"})
        assert (mailed.status_code, "postal address is missing" in mailed.text) == (422, True)
        program = await here.api.post(f"posts/{draft.post_id}/publish", json={"email": {}})
        assert (program.status_code, "postal address is missing" in program.text) == (422, True)
        assert (await counts(web, desk))["revision"] == 0
        alone = await here.studio.post(f"posts/{draft.post_id}/publish", data=form | {"where": "site"})
        assert alone.status_code == 303


async def test_a_domain_without_history_is_warmed_up(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 501)
    draft = await make_post(web, desk)
    async with web.transaction(desk.account_id) as tx:
        assert "Nothing was sent from localhost yet" in " ".join((await plan(tx, draft.post_id)).checks.think)
    await press_publish(web, press_of(desk, draft.post_id), desk.account_id)
    async with web.transaction(desk.account_id) as tx:
        await tx.execute("update mailing set built_at = godwit_now(), state = 'sending'")
        assert "Nothing was sent" not in " ".join((await plan(tx, draft.post_id)).checks.think)


async def test_a_post_for_some_without_a_marker_is_pointed_out(web: Database) -> None:
    desk = await make_desk(web)
    here = await account(web, desk)
    draft = await make_post(web, desk, "Paid", "All of it is paid for.", access="paid")
    assert "get a title and a button alone" in " ".join(check(draft, here).think)
    marked = replace(draft, writing=replace(draft.writing, markdown="Free.\n\n<!--paywall-->\n\nPaid."))
    assert "get a title and a button alone" not in " ".join(check(marked, here).think)
    for_all = replace(marked, writing=replace(marked.writing, access="everyone"))
    assert "all of it is for all" in " ".join(check(for_all, here).think)
    assert "all of it is for all" not in " ".join(check(marked, here).think)


async def test_the_page_counts_a_segment_and_each_figure_opens_its_list(web: Database) -> None:
    desk = await make_desk(web)
    await make_readers(web, desk, 5)
    await make_readers(web, desk, 2, "gone", "unsubscribed")
    draft = await make_post(web, desk, "Paid", "Free.\n\n<!--paywall-->\n\nPaid.", access="paid")
    async with web.transaction(desk.account_id) as tx:
        segment = await make_segment(tx, "First", ReaderFilter(search="reader1@"), "Ana")
    async with served(web, desk) as here:
        at = f"posts/{draft.post_id}/publish"
        part = (await here.studio.get(f"{at}/audience?segment={segment}&subject=Hello")).text
        assert 'data-figure="will" data-value="1"' in part
        assert 'data-figure="outside" data-value="4"' in part
        assert 'data-figure="previews" data-value="1"' in part
        assert f"segment={segment}" in part
        assert f"outside={segment}" in part
        assert "Send to 1 reader<" in part
        assert "Hello" in part
        chosen = (await here.studio.get(f"{at}?where=mail&segment={segment}&subject=Typed")).text
        assert 'value="Typed"' in chosen
        assert "Send to 1 reader<" in chosen
        form = hidden(chosen) | {"where": "mail", "segment": str(segment)}
        pressed = await here.studio.post(at, data=form)
        assert pressed.status_code == 303, pressed.text
        wrong = await here.studio.post(at, data=form | {"segment": "x", "key": "other"})
        assert (wrong.status_code, "no such segment" in wrong.text) == (422, True)
