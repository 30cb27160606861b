"""What servers do to whoever calls them: names that flip, redirects, floods, drips, false certificates."""

import gzip
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.egress import Lost, NotAllowed, NotReached
from app.fakes import SelfMade, self_made
from tests.egress.makers import LOOPBACK, allowing, calling, post, post_once
from tests.egress.names import Names, a_name_server
from tests.egress.servers import Server, a_server, endless, saying
from tests.waiting import until

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
async def names() -> AsyncIterator[Names]:
    async with a_name_server() as made:
        yield made


@pytest.fixture(scope="session")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> SelfMade:
    folder: Path = tmp_path_factory.mktemp("theirs")
    return self_made(folder, name="hooks.example.com")


async def test_a_name_that_flips_is_dialled_where_it_was_checked(names: Names) -> None:
    """Rebinding: the first answer is checked and dialled; nobody asks a second time."""
    async with a_server() as good, a_server(host="127.0.0.2", port=good.port) as trap:
        names.flip("flip.example.com", "127.0.0.1", "127.0.0.2")
        async with calling(allowing(LOOPBACK, names=names)) as client:
            assert (await post(client, good.url("flip.example.com"))).status == 200
            assert names.asked["flip.example.com A"] == names.asked["flip.example.com AAAA"] == 1
            assert (await post(client, good.url("flip.example.com"))).status == 200  # kept, bound, not asked
            await client.close()
            with pytest.raises(NotAllowed):
                await post(client, good.url("flip.example.com"))
        assert (len(good.got), good.connections, trap.connections) == (2, 1, 0)


async def test_a_name_that_moved_is_followed_however_busy_its_connection_is(names: Names) -> None:
    """What was checked is not used for ever: a connection that is old enough is not kept."""
    async with a_server() as good, a_server(host="127.0.0.2", port=good.port) as moved:
        names.lead("hooks.example.com", "127.0.0.1")
        async with calling(allowing("127.0.0.0/8", names=names), lives_for=0.0) as client:
            await post(client, good.url("hooks.example.com"))
            names.lead("hooks.example.com", "127.0.0.2")
            await post(client, good.url("hooks.example.com"))
        assert (len(good.got), len(moved.got)) == (1, 1)


async def test_one_bad_answer_spoils_the_good_one(names: Names) -> None:
    async with a_server() as good, a_server(host="127.0.0.2", port=good.port) as trap:
        names.lead("mixed.example.com", "127.0.0.1", "127.0.0.2")
        async with calling(allowing(LOOPBACK, names=names)) as client:
            with pytest.raises(NotAllowed):
                await post(client, good.url("mixed.example.com"))
        assert (good.connections, trap.connections) == (0, 0)


async def test_a_kept_connection_is_asked_about_anew(names: Names) -> None:
    """What was permitted a call ago is not for ever: the policy of the day decides."""
    async with a_server() as server, calling(allowing(names=names)) as client:
        once = allowing(hosts=[("127.0.0.1", server.port)])
        assert (await post(client, server.url(), allow=once)).status == 200
        with pytest.raises(NotAllowed):
            await post(client, server.url())
        with pytest.raises(NotAllowed):
            await post(client, server.url(), allow=allowing("10.0.0.0/8"))
        assert len(server.got) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_an_answer_and_is_not_followed(status: int) -> None:
    async with a_server() as trap:
        there = f"HTTP/1.1 {status} Found\r\nLocation: {trap.url()}\r\nContent-Length: 0\r\n\r\n"
        async with a_server(saying(there.encode())) as server:
            found = await post_once(server)
        assert (found.status, found.headers["location"], trap.connections) == (status, trap.url(), 0)


async def test_proxies_of_the_environment_are_not_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_server() as proxy, a_server() as server:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url(path=""))
        assert (await post_once(server)).status == 200
        assert (proxy.connections, len(server.got)) == (0, 1)


async def test_no_cookie_comes_back() -> None:
    cookie = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
    async with a_server(saying(cookie)) as server:
        async with calling(allowing(LOOPBACK)) as client:
            await post(client, server.url())
            await post(client, server.url())
        assert len(server.got) == 2
        assert b"cookie" not in server.got[1].lower()


async def test_a_gzip_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(bytes(10_000_000))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    async with a_server(saying(head, bomb)) as server:
        found = await post_once(server)
        assert (found.body, found.cut) == (bomb, False)
        assert b"accept-encoding: identity\r\n" in server.got[0].lower()


@pytest.mark.parametrize("head", [
    b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n",
])  # fmt: skip
async def test_ten_gigabytes_are_read_up_to_64_kB(head: bytes) -> None:
    async with a_server(endless(head, bytes(65536))) as server:
        found = await post_once(server)
    assert (found.status, found.body, found.cut) == (200, bytes(65536), True)


async def test_a_body_in_pieces_is_read_up_to_64_kB() -> None:
    async with a_server(endless(CHUNKED, b"400\r\n" + b"x" * 1024 + b"\r\n")) as server:
        found = await post_once(server)
    assert (found.body, found.cut) == (b"x" * 65536, True)


async def test_exactly_64_kB_are_whole() -> None:
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n" + bytes(65536)
    async with a_server(saying(whole)) as server:
        found = await post_once(server)
    assert (len(found.body), found.cut) == (65536, False)


@pytest.mark.parametrize(
    ("say", "reason"),
    [
        (endless(b"HTTP/1.1 200 OK\r\n", b"X-Long: " + b"a" * 1000 + b"\r\n"), "64 kB of headers"),
        (endless(b"HTTP/1.1 200 OK\r\nX-Endless: ", b"a" * 1000), "64 kB of headers"),
        (endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100), "more than Godwit reads"),
        (saying(b"HTTP/1.1 200 OK\r\nA: b\x00c\r\nContent-Length: 0\r\n\r\n"), "not HTTP"),
        (saying(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy"), "not HTTP"),
        (saying(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), "not HTTP"),
        (saying(b"SSH-2.0-OpenSSH_9.6\r\n\r\n", end=True), "not HTTP"),
        (saying(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", end=True), "not HTTP"),
        (saying(b"HTTP/1.1 200 OK\r\nConte", end=True), "hung up before it had answered"),
        (saying(end=True), "hung up before it had answered"),
    ],
)  # fmt: skip
async def test_an_answer_that_is_none_is_lost(say, reason: str) -> None:
    """The request left: who called cannot know what was done."""
    async with a_server(say) as server:
        with pytest.raises(Lost, match=reason):
            await post_once(server)
        assert len(server.got) == 1


@pytest.mark.parametrize(
    "say",
    [
        endless(b"", b"H", every=0.05),
        endless(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a", every=0.05),
        endless(b"", b"HTTP/1.1 102 Processing\r\n\r\n", every=0.05),
        saying(every=30),
    ],
)
async def test_a_byte_now_and_then_does_not_move_the_end(say) -> None:
    async with a_server(say) as server:
        with pytest.raises(Lost, match="did not answer in time"):
            await post_once(server, seconds=0.5)


@pytest.mark.parametrize(
    ("say", "began"),
    [
        (endless(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"a", every=0.05), b"aaa"),
        (saying(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), b""),
        (saying(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", end=True), b"half"),
        (saying(CHUNKED + b"5\r\nhal", end=True), b"hal"),
        (saying(CHUNKED + b"2\r\nok\r\nzz\r\n"), b"ok"),
        (endless(CHUNKED, b"1;" + b"a" * 8000 + b"\r\nx\r\n"), b"xxx"),
        (saying(CHUNKED + b"2\r\nok\r\n0\r\n" + b"X-Trailer: a\r\n" * 9000 + b"\r\n"), b"ok"),
    ],
)  # fmt: skip
async def test_the_head_decides_whatever_ends_the_body(say, began: bytes) -> None:
    """Engine 3: a 2xx is success, also when its body drips, hangs, breaks off or is no body at all."""
    async with a_server(say) as server, calling(allowing(LOOPBACK)) as client:
        begun = time.monotonic()
        found = await post(client, server.url(), seconds=0.5)
        assert time.monotonic() - begun < 2, "its end is the call's"
        assert (found.status, found.body[: len(began)], found.cut) == (200, began, True)
        await until(lambda: _all_closed(server))


async def _all_closed(server: Server) -> bool:
    return not server.open


async def test_nul_and_bad_utf_8_come_back_as_they_were() -> None:
    body = b'\x00\xff\xfe{"a": \xc3\x28}\x00'
    head = b"HTTP/1.1 500 \xff\xfe\r\nX-Odd: \xff\xe9\r\nContent-Length: %d\r\n\r\n" % len(body)
    async with a_server(saying(head, body)) as server:
        found = await post_once(server)
    assert (found.status, found.body, found.headers["x-odd"]) == (500, body, "ÿé")


async def test_the_certificate_must_be_of_the_name(names: Names, theirs: SelfMade) -> None:
    """Host, SNI and certificate are the name's, though a checked address is dialled."""
    names.lead("hooks.example.com", "127.0.0.1")
    names.lead("other.example.com", "127.0.0.1")
    policy = allowing(LOOPBACK, names=names)
    async with a_server(tls=theirs.for_server()) as server:
        async with calling(policy, theirs.for_client()) as client:
            assert (await post(client, server.url("hooks.example.com", scheme="https"))).status == 200
            assert server.name_asked == "hooks.example.com"
            assert f"Host: hooks.example.com:{server.port}\r\n".encode() in server.got[0]
            with pytest.raises(NotReached, match=r"certificate of other.example.com .* mismatch"):
                await post(client, server.url("other.example.com", scheme="https"))
            with pytest.raises(NotReached, match=r"certificate of 127\.0\.0\.1"):
                await post(client, server.url(scheme="https"))
        assert len(server.got) == 1


async def test_a_certificate_that_nobody_vouches_for_is_not_trusted(names: Names, theirs: SelfMade) -> None:
    names.lead("hooks.example.com", "127.0.0.1")
    async with (
        a_server(tls=theirs.for_server()) as server,
        calling(allowing(LOOPBACK, names=names)) as client,
    ):
        with pytest.raises(NotReached, match="self-signed certificate"):
            await post(client, server.url("hooks.example.com", scheme="https"))
        assert server.got == []


async def test_https_to_what_speaks_plainly_is_told() -> None:
    async with a_server(greeting=b"220 mail.example.com\r\n") as server:
        async with calling(allowing(LOOPBACK)) as client:
            with pytest.raises(NotReached, match="does not speak TLS"):
                await post(client, server.url(scheme="https"))
        assert server.got == []
