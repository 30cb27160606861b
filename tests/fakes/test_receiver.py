"""A receiver of webhooks: answers as told, keeps what came, and goes wrong on the wire itself."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from standardwebhooks.webhooks import Webhook

from app.fakes import FakeReceiver, Reply, Script, key_of, why_unverified
from tests.waiting import until
from tests.web_server import client_of

pytestmark = pytest.mark.anyio
SECRET = "whsec_" + b64encode(bytes(range(32))).decode()
OTHER = "whsec_" + b64encode(bytes(32)).decode()
BODY = '{"title":"Zoë 😊 \u2028 \\u0007"}'


@asynccontextmanager
async def receiving(script: Script) -> AsyncIterator[httpx.AsyncClient]:
    server = FakeReceiver(script)
    await server.start()
    try:
        async with client_of(server.url, timeout=5) as client:
            yield client
    finally:
        await server.stop()


async def test_it_answers_in_order_and_the_last_for_ever() -> None:
    script = Script([500, 429, 200])
    async with receiving(script) as client:
        told = [(await client.post("/r/1", content=str(n))).status_code for n in range(5)]
    assert told == [500, 429, 200, 200, 200]
    assert [(call.method, call.path, call.body) for call in script.calls] == [
        ("POST", "/r/1", str(n).encode()) for n in range(5)
    ]


async def test_one_connection_serves_several_calls_and_keeps_their_octets() -> None:
    script = Script()
    body = bytes(range(256)) * 4000
    async with receiving(script) as client:
        for _ in range(2):
            await client.post("/", content=body, headers={"Webhook-Id": "evt_1"})
        await client.post("/", headers={"Expect": "100-continue"}, content=b"later")
    assert [call.body for call in script.calls] == [body, body, b"later"]
    assert script.calls[0].header("webhook-id") == "evt_1"
    assert script.calls[0].header("nothing") == ""


@pytest.mark.parametrize("ending", ["drop", "cut", "reset"])
async def test_a_connection_breaks_as_told_and_the_call_is_kept(ending: str) -> None:
    script = Script()
    script.replies.append(Reply(ending=ending))  # type: ignore[arg-type]
    async with receiving(script) as client:
        with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
            await client.post("/", content=b"once")
        assert (await client.post("/", content=b"twice")).status_code == 200
    assert [call.body for call in script.calls] == [b"once", b"twice"]


async def test_it_hangs_until_its_caller_leaves_and_others_are_answered() -> None:
    script = Script()
    script.replies.append(Reply(ending="hang"))
    async with receiving(script) as client:
        hanging = asyncio.create_task(client.post("/", content=b"once"))
        await until(lambda: _any_of(script))
        assert (await client.post("/", content=b"twice")).status_code == 200
        assert not hanging.done()
        hanging.cancel()
        await asyncio.wait([hanging])


async def _any_of(script: Script) -> bool:
    return bool(script.calls)


async def test_what_is_no_request_is_hung_up_on() -> None:
    script = Script()
    server = FakeReceiver(script)
    await server.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"EHLO there\r\n\r\n")
    assert await reader.read() == b""
    writer.close()
    await server.stop()
    assert script.calls == []


def signed(secret: str, at: datetime) -> dict[str, str]:
    stamp = str(int(at.timestamp()))
    return {
        "webhook-id": "evt_1",
        "webhook-timestamp": stamp,
        "webhook-signature": Webhook(secret).sign("evt_1", at, BODY),
    }


def why(headers: dict[str, str], secrets: Sequence[str] = (SECRET,), body: bytes = BODY.encode()) -> str:
    return why_unverified(secrets, headers, body, datetime.now(UTC).timestamp())


def test_what_the_library_signed_is_verified_also_with_several_secrets() -> None:
    """W4, field case H: the independent library's signature, over a body with emoji and U+2028."""
    now = datetime.now(UTC)
    headers = signed(SECRET, now)
    assert why(headers) == why(headers, (OTHER, SECRET)) == ""
    two = headers | {"webhook-signature": f"{signed(OTHER, now)['webhook-signature']} v1a,x"}
    assert why(two) == "no signature fits"
    two["webhook-signature"] += " " + headers["webhook-signature"]
    assert why(two) == ""


def test_what_does_not_fit_is_told_by_its_reason() -> None:
    now = datetime.now(UTC)
    headers = signed(SECRET, now)
    assert why(headers, body=BODY.encode() + b" ") == why(headers, (OTHER,)) == "no signature fits"
    assert why(headers, ()) == why(headers | {"webhook-id": "evt_2"}) == "no signature fits"
    assert why(headers | {"webhook-signature": "naïve"}) == "no signature fits"
    assert why(headers | {"webhook-timestamp": "soon"}) == "webhook-timestamp is no time"
    assert why(headers | {"webhook-timestamp": "1" * 5000}) == "webhook-timestamp is no time"
    assert why({}) == "a webhook- header is missing"
    assert why(signed(SECRET, now - timedelta(minutes=6))) == "it was signed 6 minutes ago"
    assert why(signed(SECRET, now + timedelta(minutes=7))) == "it was signed 7 minutes ahead of now"


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_???", "hunter2!"])
def test_what_is_no_secret_is_told(secret: str) -> None:
    with pytest.raises(ValueError, match="whsec_"):
        key_of(secret)
