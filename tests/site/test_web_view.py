"""A mail in a browser: the copy as its reader got it, for whoever has its link and nobody else."""

import re

from app.base import ids
from app.base.database import Database
from app.posts import Writing, create_post
from app.readers import erase_reader
from tests.broadcasts.makers import an_empty_mailbox
from tests.ledger.makers import working
from tests.posts.clients import served
from tests.posts.makers import make_desk
from tests.publishing.makers import press_of, press_publish
from tests.site.readers import KEPT, MARKDOWN, OPEN, a_crowd
from tests.waiting import until

_MAILS = "select to_address, html from mailbox.mail where kind = 'broadcast' order by to_address"


async def test_each_sees_their_own_copy_and_no_stranger_any(
    web: Database, worker: Database, owner: Database
) -> None:
    """Field case K: a paid post, in the mail and its web view, for free, paid and ended readers."""
    desk = await make_desk(web)
    crowd = await a_crowd(web, desk)
    async with web.transaction(desk.account_id) as tx:
        words = MARKDOWN.replace(OPEN, f'{OPEN} Dear {{name, "friend"}}.')
        draft = await create_post(tx, Writing("Where they nest", words, access="paid"), desk.creator_id)
        await tx.execute("update account set postal_address = '1 Harbour Road, Deal'")
    await press_publish(web, press_of(desk, draft.post_id), desk.account_id)

    async def mails():
        async with web.transaction() as tx:
            rows = await tx.rows(_MAILS)
        return {row.to_address: row.html for row in rows} if len(rows) == 3 else None

    async with an_empty_mailbox(owner), working(worker):
        sent = await until(mails, seconds=15)
    async with served(web, desk) as here:
        for kind in ("free", "paid", "ended"):
            html = sent[f"{kind}@example.org"]
            link = re.search(r'http://tidelines\.localhost:8000(/mail/[\w-]+)"', html)
            assert link is not None
            seen = await here.site.get(link[1])
            assert seen.text == html
            assert (KEPT in html) is (kind == "paid")
            assert "noindex" in seen.headers["x-robots-tag"]
            assert seen.headers["cache-control"] == "no-store"
            assert seen.headers["referrer-policy"] == "no-referrer"
            assert "sandbox" in seen.headers["content-security-policy"]
            forged = link[1][:-1] + ("A" if link[1][-1] != "A" else "B")
            for wrong in (forged, "/mail/nothing", f"/mail/{ids.new()}"):
                assert (await here.site.get(wrong)).status_code == 404
        async with web.transaction(desk.account_id) as tx:
            await erase_reader(tx, crowd.ids["paid"])
        link = re.search(r'http://tidelines\.localhost:8000(/mail/[\w-]+)"', sent["paid@example.org"])
        assert link is not None
        assert (await here.site.get(link[1])).status_code == 404
