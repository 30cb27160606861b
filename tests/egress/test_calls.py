"""One request and its answer: what is said, when and on which connection, and what silence means."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator

import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from app.cli.ports import choose
from app.egress import Lost, NotAllowed, NotReached, Policy, client, looker, target_of
from app.egress.wires import Wire
from tests.egress.makers import LOOPBACK, allowing, calling, post, post_once, within
from tests.egress.names import Names, a_name_server
from tests.egress.servers import OK, Server, a_server, saying
from tests.waiting import until


class Noting(asyncio.Transport):
    """Notes what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.reads = True

    def write(self, data: bytes) -> None:
        self.writes.append(data)

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True


@pytest.fixture
async def names() -> AsyncIterator[Names]:
    async with a_name_server() as made:
        yield made


async def test_a_request_says_where_it_goes_and_what_it_carries() -> None:
    async with a_server() as server:
        found = await post_once(server, body='{"title": "Zoë 😊"}'.encode())
        assert (found.status, found.body, found.cut) == (200, b"ok", False)
        assert found.headers == {"content-length": "2"}
        head, _, body = server.got[0].partition(b"\r\n\r\n")
        assert head.split(b"\r\n") == [
            b"POST /hook HTTP/1.1",
            f"Host: 127.0.0.1:{server.port}".encode(),
            b"Accept-Encoding: identity",
            b"Content-Length: 22",
            b"Content-Type: application/json",
        ]
        assert body == '{"title": "Zoë 😊"}'.encode()


@pytest.mark.parametrize("asked", ["/", "/hook;v=1", "/a;b=1;c/hook;d?e;f=g", "/a//b/../c?", "/?x=/y?z"])
async def test_a_request_asks_for_all_of_its_path(asked: str) -> None:
    async with a_server() as server:
        async with calling(allowing(hosts=[("127.0.0.1", server.port)])) as one:
            await post(one, server.url(path=asked))
        assert server.got[0].partition(b"\r\n")[0] == f"POST {asked} HTTP/1.1".encode()


async def test_an_ipv6_address_is_called_by_its_literal() -> None:
    try:
        async with a_server(host="::1") as server, calling(allowing("::1/128")) as client:
            assert (await post(client, server.url("[::1]"))).status == 200
            assert f"Host: [::1]:{server.port}\r\n".encode() in server.got[0]
    except OSError:
        pytest.skip("this machine has no IPv6")


async def test_get_and_head_ask_without_a_body() -> None:
    async with a_server(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n", end=True)) as server:
        async with calling(allowing(LOOPBACK)) as client:
            found = await client.head(target_of(server.url(path="/a?b=c")), deadline=within(5))
        assert (found.status, found.body, found.headers["content-length"]) == (200, b"", "99999")
        assert server.got[0].startswith(b"HEAD /a?b=c HTTP/1.1\r\n")
    async with a_server(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n" + bytes(90000))) as server:
        async with calling(allowing(LOOPBACK)) as client:
            found = await client.get(target_of(server.url()), deadline=within(5), most=100_000)
        assert (len(found.body), found.cut) == (90000, False)


async def test_headers_that_come_twice_are_joined() -> None:
    head = b"HTTP/1.1 204 No Content\r\nX-A: 1\r\nx-a: 2\r\n\r\n"
    async with a_server(saying(head)) as server:
        assert (await post_once(server)).headers["x-a"] == "1, 2"


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "Cookie", "Connection"])
async def test_a_caller_does_not_say_how_a_request_is_framed(name: str) -> None:
    async with calling(Policy()) as client:
        with pytest.raises(ValueError, match="the client itself says"):
            await client.post(target_of("https://8.8.8.8/"), [(name, "x")], b"", deadline=within(1))


async def test_nothing_is_written_before_it_is_ready() -> None:
    """The connection is there, and silent; then the whole request comes in one piece."""
    pieces: asyncio.Queue[bytes] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await pieces.put(b"connected")
        await pieces.put(await reader.read(1_000_000))
        writer.write(OK)
        await reader.read()
        writer.close()

    async def ready() -> None:
        assert await pieces.get() == b"connected"
        assert pieces.empty()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    async with listening, calling(allowing(LOOPBACK)) as client:
        assert (await post(client, f"http://127.0.0.1:{port}/", b"{...}", ready=ready)).status == 200
        whole = await pieces.get()
    assert whole.startswith(b"POST / HTTP/1.1\r\n")
    assert whole.endswith(b"\r\n\r\n{...}")


async def test_a_request_is_written_in_one_go() -> None:
    """So that a process that freezes leaves no half of it, and "not reached" is told up to that write."""
    transport, wire = Noting(), Wire()
    wire.connection_made(transport)
    wire.restart(pieces=2, most=0, deadline=time.monotonic() + 9)
    await wire.write(b"head ")
    assert (transport.writes, wire.written) == ([], False)
    await wire.write(b"body")
    assert (transport.writes, wire.written) == ([b"head body"], True)


async def test_who_says_much_at_once_is_stopped_until_it_was_read() -> None:
    transport, wire = Noting(), Wire()
    wire.connection_made(transport)
    wire.restart(pieces=1, most=200_000, deadline=time.monotonic() + 9)
    wire.data_received(bytes(100_000))
    assert not transport.reads
    while not transport.reads:
        await wire.read(16384)


@pytest.mark.parametrize("raised", [RuntimeError("the lease is lost"), TimeoutError("no database")])
async def test_what_ready_raises_ends_the_call_unsent(raised: Exception) -> None:
    async def ready() -> None:
        raise raised

    async with a_server() as server:
        with pytest.raises(type(raised)) as told:
            await post_once(server, ready=ready)
        assert told.value is raised
        await until(lambda: _all_closed(server))
        assert (server.connections, server.got) == (1, [])


async def test_ready_that_takes_too_long_leaves_nothing_sent() -> None:
    async with a_server() as server:
        with pytest.raises(NotReached, match="in time"):
            await post_once(server, ready=lambda: asyncio.sleep(30), seconds=0.2)
        await until(lambda: _all_closed(server))
        assert server.got == []


async def test_a_process_that_froze_until_after_its_time_sends_nothing() -> None:
    async def ready() -> None:
        time.sleep(0.3)  # noqa: ASYNC251 - the whole process stands still, its timers too

    async with a_server() as server:
        with pytest.raises(NotReached, match="time"):
            await post_once(server, ready=ready, seconds=0.2)
        await until(lambda: _all_closed(server))
        assert server.got == []


async def test_a_connection_is_kept_and_used_again() -> None:
    async with a_server() as server, calling(allowing(LOOPBACK)) as client:
        for _ in range(3):
            await post(client, server.url())
        assert (server.connections, len(server.got)) == (1, 3)
        await asyncio.gather(*(post(client, server.url()) for _ in range(5)))
        assert server.connections <= 5
        assert len(server.got) == 8


async def test_hosts_at_one_address_do_not_share_a_connection(names: Names) -> None:
    names.lead("a.example.com", "127.0.0.1")
    names.lead("b.example.com", "127.0.0.1")
    async with a_server() as server, calling(allowing(LOOPBACK, names=names)) as client:
        await post(client, server.url("a.example.com"))
        await post(client, server.url("b.example.com"))
        assert server.connections == 2


async def test_a_kept_connection_that_the_server_closed_is_replaced_unseen() -> None:
    asked = 0

    async def ready() -> None:
        nonlocal asked
        asked += 1
        if asked == 2:  # it goes while the lease is looked at
            for writer in list(server.open):
                writer.transport.abort()
            await until(lambda: _all_closed(server))

    async with a_server() as server, calling(allowing(LOOPBACK)) as client:
        for _ in range(2):
            assert (await post(client, server.url(), ready=ready)).status == 200
        assert (server.connections, len(server.got), asked) == (2, 2, 3)


async def test_an_answer_that_nobody_asked_for_is_not_taken_for_the_next() -> None:
    twice = saying(OK + b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstale")
    async with a_server(twice) as server, calling(allowing(LOOPBACK)) as client:
        await post(client, server.url())
        server.say = saying(b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")
        assert (await post(client, server.url())).status == 500
        assert server.connections == 2


async def test_what_is_over_is_closed_and_not_kept() -> None:
    """After a cut answer, one that says close, and a lost one."""
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n" + bytes(70000)
    for say in (saying(cut), saying(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")):
        async with a_server(say) as server, calling(allowing(LOOPBACK)) as client:
            for _ in range(2):
                await post(client, server.url())
            assert server.connections == 2


async def test_a_connection_is_not_kept_long() -> None:
    """Less than servers keep one, so that a request does not meet one that is being closed."""
    async with a_server() as server, calling(allowing(LOOPBACK), idle_for=0.1) as client:
        await post(client, server.url())
        assert server.open
        await until(lambda: _all_closed(server))


async def test_nobody_listens() -> None:
    async with calling(allowing(LOOPBACK)) as client:
        with pytest.raises(NotReached, match="nobody answers at port"):
            await post(client, f"http://127.0.0.1:{choose()}/")


async def test_who_listens_and_says_nothing_under_tls_was_not_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        async with calling(allowing(LOOPBACK)) as client:
            with pytest.raises(NotReached, match="in time"):
                await post(client, f"https://127.0.0.1:{port}/", seconds=0.3)


async def test_the_next_address_is_tried_when_one_does_not_answer(names: Names) -> None:
    async with a_server(host="127.0.0.3") as server:
        names.lead("many.example.com", "127.0.0.2", "127.0.0.3")
        async with calling(allowing("127.0.0.0/29", names=names)) as client:
            assert (await post(client, server.url("many.example.com"))).status == 200


async def test_names_that_do_not_exist_or_are_not_answered_were_not_reached(names: Names) -> None:
    names.lead("empty.example.com")
    names.silent("silent.example.com")
    async with calling(allowing(names=names)) as client:
        for name, reason in (("none", "does not exist"), ("empty", "leads nowhere")):
            with pytest.raises(NotReached, match=reason):
                await post(client, f"https://{name}.example.com/")
        with pytest.raises(NotReached, match=r"in time|did not answer"):
            await post(client, "https://silent.example.com/", seconds=0.3)


async def test_a_server_that_hung_up_before_the_request_was_not_reached() -> None:
    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        await writer.wait_closed()
        gone.set()

    gone = asyncio.Event()
    listening = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    async with listening, calling(allowing(LOOPBACK)) as client:
        with pytest.raises(NotReached, match="hung up before anything was sent"):
            await post(client, f"http://127.0.0.1:{port}/", ready=lambda: _in_a_moment(gone))


async def test_much_goes_out_and_much_comes_in() -> None:
    """More than sockets hold: who is slower sets the pace."""
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n" + bytes(5_000_000)
    async with a_server() as server, calling(allowing(LOOPBACK)) as client:
        assert (await post(client, server.url(), b"x" * 5_000_000)).status == 200
        assert server.got[0].endswith(b"\r\n\r\n" + b"x" * 5_000_000)
        server.say = saying(whole)
        found = await client.get(target_of(server.url()), deadline=within(10), most=6_000_000)
        assert (len(found.body), found.cut, server.connections) == (5_000_000, False, 1)


async def test_who_does_not_read_to_the_end_is_lost() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        async with calling(allowing(LOOPBACK)) as client:
            with pytest.raises(Lost, match="in time"):
                await post(client, f"http://127.0.0.1:{port}/", b"x" * 20_000_000, seconds=0.5)


async def test_a_call_that_was_given_up_hangs_up() -> None:
    async with a_server(saying(every=30)) as server:
        call = asyncio.create_task(post_once(server, seconds=60))
        await until(lambda: _got(server))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: _all_closed(server))


async def test_a_reset_after_the_request_is_lost() -> None:
    async def reset(writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    async with a_server(reset) as server:
        with pytest.raises(Lost):
            await post_once(server)


async def test_nobody_calls_while_a_transaction_is_open(web: Database) -> None:
    async with calling(Policy()) as client, web.transaction():
        with pytest.raises(RuntimeError, match="transaction"):
            await post(client, "https://8.8.8.8/")


async def test_the_process_has_one_client_which_follows_the_settings(
    settings_env: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = client()
    assert client() is first
    assert first.policy == Policy()
    monkeypatch.setenv("GODWIT_EGRESS_ALLOW", "10.1.0.0/16")
    settings.cache_clear()
    assert client().policy == allowing("10.1.0.0/16")


async def test_in_testing_mode_nothing_is_looked_at_but_what_was_allowed(
    settings_env: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links and pictures in texts: a suite that writes them does not call the internet."""
    assert not looker().policy.public
    with pytest.raises(NotAllowed):
        await looker().get(target_of("https://8.8.8.8/"), deadline=within(1))
    monkeypatch.setenv("GODWIT_MODE", "development")
    settings.cache_clear()
    assert looker().policy.public


async def _in_a_moment(gone: asyncio.Event) -> None:
    """The other side is gone, and the loop has heard of it."""
    await gone.wait()
    await asyncio.sleep(0.05)


async def _all_closed(server: Server) -> bool:
    return not server.open


async def _got(server: Server) -> bool:
    return bool(server.got)
