"""The console's jobs: operators see why, and decide; they never read what a job carries."""

from collections.abc import AsyncIterator

import httpx
import pytest

from app.accounts import session_cookie, start_session
from app.base import ids
from app.base.database import Database
from app.base.settings import Settings
from tests.web_server import browser, serving

_MAKE = """
insert into job (account_id, queue, kind, args, share)
values (7, :queue, 'send_mail', '{"to": "secret@example.org"}', '7') returning id
"""


@pytest.fixture
async def godwit(settings_env: Settings, owner: Database) -> AsyncIterator[str]:
    """The web process, with an account to have jobs of."""
    async with owner.transaction() as tx:
        await tx.execute("insert into account (id, slug, name) values (7, 'seven', 'Seven')")
    async with serving() as url:
        yield url


async def signed_in(web: Database, url: str, *, operator: bool) -> httpx.AsyncClient:
    async with web.transaction() as tx:
        creator = await tx.value(
            "insert into creator (id, email, name, operator) values (:id, :email, 'Ola', :operator)"
            " returning id",
            id=ids.new(),
            email=f"ola{operator}@example.org",
            operator=operator,
        )
        token = await start_session(tx, creator)
    return browser(url, cookies={session_cookie(token).key: token})


@pytest.fixture
async def ola(godwit: str, web: Database) -> AsyncIterator[httpx.AsyncClient]:
    """An operator's browser."""
    async with await signed_in(web, godwit, operator=True) as page:
        yield page


async def a_job(owner: Database, *moves: str, queue: str = "messages", reason: str = "no answer") -> int:
    async with owner.transaction() as tx:
        made = await tx.value(_MAKE, queue=queue)
        for state in moves:
            await tx.execute(
                "update job set state = :state, reason = :reason, attempts = 3 where id = :id",
                state=state,
                reason=reason,
                id=made,
            )
    return made


async def state_of(owner: Database, job_id: int) -> tuple[str, str | None]:
    async with owner.transaction() as tx:
        row = await tx.row("select state, reason from job where id = :id", id=job_id)
    assert row is not None
    return row.state, row.reason


PATHS = ("/console", "/console/jobs", "/console/jobs/1")


@pytest.mark.parametrize("path", PATHS)
async def test_only_operators_enter(godwit: str, web: Database, path: str) -> None:
    async with browser(godwit) as stranger:
        assert (await stranger.get(path)).status_code in (303, 401)
    async with await signed_in(web, godwit, operator=False) as creator:
        assert (await creator.get(path)).status_code == 403
        assert (await creator.post("/console/jobs/1/retry")).status_code == 403


async def test_nothing_to_do_is_said(ola: httpx.AsyncClient) -> None:
    told = await ola.get("/console", follow_redirects=True)
    assert told.status_code == 200
    assert "Nothing gave up." in told.text
    assert "Nothing gave up, and nothing is held." in (await ola.get("/console/jobs")).text


async def test_what_gave_up_is_listed_with_its_reason_and_without_its_content(
    ola: httpx.AsyncClient, owner: Database
) -> None:
    """E2: a hold is visible."""
    dead = await a_job(owner, "held", "dead", reason="<b>no</b> answer")
    ready = await a_job(owner, queue="webhooks")
    told = (await ola.get("/console/jobs")).text
    assert "1 job gave up." in told
    assert f"/console/jobs/{dead}" in told
    assert f"/console/jobs/{ready}" in told
    assert "&lt;b&gt;no&lt;/b&gt; answer" in told
    assert "secret@example.org" not in told
    narrowed = (await ola.get("/console/jobs?state=dead&queue=messages")).text
    assert f"/console/jobs/{dead}" in narrowed
    assert f"/console/jobs/{ready}" not in narrowed


async def test_older_ones_are_behind_a_link(ola: httpx.AsyncClient, owner: Database) -> None:
    made = [await a_job(owner) for _ in range(51)]
    first = (await ola.get("/console/jobs")).text
    assert f'"/console/jobs/{made[0]}"' not in first
    second = (await ola.get(f"/console/jobs?before={made[1]}")).text
    assert f'"/console/jobs/{made[0]}"' in second


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/console/jobs?state=gone", 422),
        ("/console/jobs?queue=%00", 422),
        ("/console/jobs?before=x", 404),
        ("/console/jobs/999999", 404),
        ("/console/jobs/x", 404),
        ("/console/jobs/99999999999999999999999", 404),
    ],
)
async def test_what_is_not_there_is_said(ola: httpx.AsyncClient, path: str, status: int) -> None:
    assert (await ola.get(path)).status_code == status


async def test_a_job_that_gave_up_is_tried_again_by_a_button(ola: httpx.AsyncClient, owner: Database) -> None:
    """E2: a dead job is not lost."""
    dead = await a_job(owner, "held", "dead")
    shown = (await ola.get(f"/console/jobs/{dead}")).text
    assert "Try again" in shown
    assert "secret@example.org" not in shown
    told = await ola.post(f"/console/jobs/{dead}/retry", follow_redirects=True)
    assert f"Job {dead} is ready again." in told.text
    assert await state_of(owner, dead) == ("ready", None)
    told = await ola.post(f"/console/jobs/{dead}/retry", follow_redirects=True)
    assert "only what gave up or is held can be tried again" in told.text
    assert (await ola.post("/console/jobs/999999/retry")).status_code == 404


async def test_a_discarded_job_says_who_and_why(ola: httpx.AsyncClient, owner: Database) -> None:
    held = await a_job(owner, "held")
    told = await ola.post(f"/console/jobs/{held}/discard", data={"reason": "a double"}, follow_redirects=True)
    assert f"Job {held} is discarded." in told.text
    assert await state_of(owner, held) == ("discarded", "discarded by Ola: a double")
    assert "Try again" not in told.text
    told = await ola.post(f"/console/jobs/{held}/discard", follow_redirects=True)
    assert "can be discarded" in told.text
