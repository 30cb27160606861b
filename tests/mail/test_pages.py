"""The mailbox's pages: everything that was handed over, found by address, shown without letting it act."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import httpx
import pytest

from app.base.database import Database
from app.mail import Mail, current_provider
from tests.broadcasts.makers import an_empty_mailbox
from tests.mail.makers import make_mail
from tests.web_server import serving

pytestmark = pytest.mark.anyio


@pytest.fixture
async def visitor(settings_env: object, owner: Database) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        an_empty_mailbox(owner),
        serving() as url,
        httpx.AsyncClient(base_url=url, timeout=20) as client,
    ):
        yield client


async def hand_over(web: Database, *mails: Mail) -> None:
    async with web.transaction() as tx:
        until = await tx.value("select clock_timestamp() + interval '30 seconds'")
    for mail in mails:
        await current_provider().deliver([mail], batch_id=uuid4(), call_until=until)


async def newest(client: httpx.AsyncClient) -> str:
    """The address of the newest mail's page."""
    return (await client.get("/mailbox")).text.split('href="/mailbox/')[1].split('"')[0]


async def test_an_empty_mailbox_says_what_will_be_there(visitor: httpx.AsyncClient) -> None:
    assert "Nothing here yet" in (await visitor.get("/mailbox")).text


async def test_a_code_is_found_by_address_and_shown_big(visitor: httpx.AsyncClient, web: Database) -> None:
    code = make_mail(
        to="ana@example.com", kind="code", text="Your code:\n\n    123456\n", subject="x", html=None
    )
    await hand_over(web, code, make_mail(to="ben@example.com", subject="Another"))
    shown = await visitor.get("/mailbox", params={"to": "ANA@"})
    assert "123456" in shown.text
    assert "Another" not in shown.text
    assert "No such mail" in (await visitor.get("/mailbox?kind=confirm")).text
    listed = (await visitor.get("/mailbox?kind=code")).text
    one = await visitor.get("/mailbox/" + listed.split('href="/mailbox/')[1].split('"')[0])
    assert 'data-figure="code" data-value="123456"' in one.text


async def test_a_mail_is_shown_whole_and_can_do_nothing(visitor: httpx.AsyncClient, web: Database) -> None:
    hostile = make_mail(
        subject="<b>News</b>",
        html="<script>alert(1)</script><p>Hello</p>",
        headers=(("List-Unsubscribe", "<https://a.example/u>"),),
    )
    await hand_over(web, replace(hostile, text="A & B"))
    number = await newest(visitor)
    shown = await visitor.get(f"/mailbox/{number}")
    assert "&lt;b&gt;News&lt;/b&gt;" in shown.text
    assert "&lt;https://a.example/u&gt;" in shown.text
    assert f'sandbox="" src="/mailbox/{number}/body"' in shown.text
    body = await visitor.get(f"/mailbox/{number}/body")
    assert body.text == hostile.html
    assert body.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    raw = await visitor.get(f"/mailbox/{number}/raw")
    assert raw.headers["content-disposition"] == f'attachment; filename="mail-{number}.eml"'
    assert b"List-Unsubscribe: <https://a.example/u>\r\n" in raw.content


@pytest.mark.parametrize(
    "path", ["/mailbox/1000000", "/mailbox/x", "/mailbox/99999999999999999999", "/mailbox/0/raw"]
)
async def test_a_mail_that_is_not_there_is_a_404(visitor: httpx.AsyncClient, path: str) -> None:
    assert (await visitor.get(path)).status_code == 404


async def test_the_list_goes_on_past_a_page(visitor: httpx.AsyncClient, web: Database) -> None:
    await hand_over(web, *(make_mail(subject=f"Mail {n}") for n in range(51)))
    first = (await visitor.get("/mailbox")).text
    assert "51 mails" in first
    older = first.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
    assert "Mail 0<" in (await visitor.get(older)).text
