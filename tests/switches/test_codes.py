"""Sign-in codes while all mail is stopped: never held, and the page says what to do (M2)."""

import httpx

from app.accounts import issue_code
from app.base.database import Database
from app.messages import SignInCode, queue_message
from app.switches import operator_set
from tests.broadcasts.makers import Studio, an_empty_mailbox
from tests.jobs.makers import in_state
from tests.messages.makers import a_loop, run
from tests.web_server import browser

EMAIL = "tidelines@example.org"


async def everybody(operators: Database, *, on: bool, scope: str = "all") -> None:
    async with operators.transaction() as tx:
        await operator_set(tx, 0, on=on, scope=scope, reason="A leak", by="Ola")


async def codes(owner: Database) -> int:
    async with owner.transaction() as tx:
        return await tx.value("select count(*) from job where kind = 'send_creator_code'")


async def ask(page: httpx.AsyncClient, email: str) -> httpx.Response:
    return await page.post("/sign-in", data={"email": email}, follow_redirects=True)


async def test_no_code_is_queued_and_the_page_says_that_mail_is_paused(
    studio: Studio, owner: Database, operators: Database, web: Database
) -> None:
    """M2; field case I: known and unknown addresses are told alike. A printed code lets in."""
    await everybody(operators, on=True)
    async with browser(str(studio.page.base_url)) as page:
        assert "Mail is paused" in (await page.get("/sign-in")).text
        known, unknown = await ask(page, EMAIL), await ask(page, "nobody@example.org")
        assert known.status_code == unknown.status_code == 200
        assert known.text.replace(EMAIL, "A") == unknown.text.replace("nobody@example.org", "A")
        assert "Mail is paused" in known.text
        assert f"godwit account code --email {EMAIL}" in known.text
        assert await codes(owner) == 0
        async with web.transaction() as tx:
            issued = await issue_code(tx, EMAIL)
        assert issued is not None
        done = await page.post("/sign-in/code", data={"email": EMAIL, "code": issued.code})
        assert done.status_code == 303


async def test_codes_go_again_as_soon_as_mail_is_started_also_while_other_mail_is_held(
    studio: Studio, owner: Database, operators: Database
) -> None:
    """M2: a code is never held, so nobody waits for the letting go."""
    await studio.api.post("/messages", json={"to": "a@example.org", "subject": "Hi", "text": "Hi"})
    await everybody(operators, on=True)
    await everybody(operators, on=False)
    async with browser(str(studio.page.base_url)) as page:
        told = await ask(page, EMAIL)
    assert "Mail is paused" not in told.text
    assert await codes(owner) == 1
    async with an_empty_mailbox(owner):
        await run(a_loop(studio.worker, "codes_creators"))
        async with owner.transaction() as tx:
            assert await tx.value("select count(*) from mailbox.mail where kind = 'code'") == 1


async def test_one_ready_when_the_switch_goes_on_is_discarded(
    studio: Studio, web: Database, owner: Database, operators: Database
) -> None:
    """M2."""
    async with web.transaction() as tx:
        at = await tx.value("select godwit_now() + interval '10 minutes'")
        job_id = await queue_message(tx, SignInCode(EMAIL, "123456", 10, "http://x/", at))
    await everybody(operators, on=True)
    await run(a_loop(studio.worker, "codes_creators"))
    discarded = await in_state(owner, job_id, "discarded")
    assert "123456" not in str(discarded.args)


async def test_stopping_mail_to_readers_or_of_one_account_lets_codes_go(
    studio: Studio, owner: Database, operators: Database
) -> None:
    await everybody(operators, on=True, scope="bulk")
    await studio.api.put("/switch", json={"on": True, "reason": "Only ours"})
    async with browser(str(studio.page.base_url)) as page:
        assert "Mail is paused" not in (await ask(page, EMAIL)).text
    assert await codes(owner) == 1
