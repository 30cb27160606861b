"""The stream of an email's page: first the present state, then every change, then that it is over."""

import re

import httpx
import pytest

from app.answers.streams import message
from tests.broadcasts.makers import Studio, figures_in, parts_of
from tests.ledger.makers import working

pytestmark = pytest.mark.anyio


async def messages(answer: httpx.Response) -> list[str]:
    """Every message until the stream is over."""
    found: list[str] = []
    lines: list[str] = []
    async for line in answer.aiter_lines():
        if line:
            lines.append(line)
            continue
        found.append("\n".join(lines))
        lines = []
        if found[-1].startswith("event: done"):
            break
    return found


async def test_the_figures_add_up_in_every_message_until_it_is_over(studio: Studio) -> None:
    """L7: a page that watches never sees a sum that is not the audience."""
    broadcast_id = await studio.press()
    await studio.read_audience(broadcast_id)
    async with (
        studio.page.stream("GET", studio.at(f"/broadcasts/{broadcast_id}/live")) as answer,
        working(studio.worker),
    ):
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        told = await messages(answer)
    assert told[-1] == "event: done\ndata: done"
    shown = told[:-1]
    assert all("event:" not in one for one in shown)
    sums = [figures_in(one) for one in shown]
    assert [parts_of(one) for one in sums] == [12] * len(sums)
    assert sums[-1]["sent"] == 12
    versions = [int(re.findall(r'data-version="(\d+)"', one)[0]) for one in shown]
    assert versions == sorted(set(versions))
    assert 'data-state="balanced"' in shown[-1]


async def test_a_page_that_comes_late_gets_the_end_at_once(studio: Studio) -> None:
    broadcast_id = await studio.press()
    async with (
        studio.page.stream("GET", studio.at(f"/broadcasts/{broadcast_id}/live")) as answer,
        working(studio.worker),
    ):
        await messages(answer)
    async with studio.page.stream("GET", studio.at(f"/broadcasts/{broadcast_id}/live")) as answer:
        told = await messages(answer)
    assert len(told) == 2
    assert "Everybody got it: 12 sent." in told[0]


async def test_the_home_page_follows_it_too(studio: Studio) -> None:
    broadcast_id = await studio.press()
    home = (await studio.page.get(studio.at())).text
    assert f'hx-sse:connect="{studio.at("/live/")}{broadcast_id}"' in home
    async with (
        studio.page.stream("GET", studio.at(f"/live/{broadcast_id}")) as answer,
        working(studio.worker),
    ):
        told = await messages(answer)
    assert "Everybody got <em>The bird</em>: 12 sent." in told[-2]


async def test_a_stream_holds_no_transaction_between_its_looks(studio: Studio) -> None:
    broadcast_id = await studio.press()
    async with studio.page.stream("GET", studio.at(f"/broadcasts/{broadcast_id}/live")) as answer:
        async for line in answer.aiter_lines():
            if not line:
                break
        async with studio.web.transaction() as tx:
            held = await tx.value(
                "select count(*) from pg_stat_activity where datname = current_database()"
                " and usename = 'godwit_web' and state = 'idle in transaction' and pid <> pg_backend_pid()"
            )
    assert held == 0


def test_every_line_of_a_fragment_is_a_line_of_data() -> None:
    """A line without its prefix would be read as a field, and lost."""
    assert message("<p>\n\n  one\n</p>\n", 7) == "id: 7\ndata: <p>\ndata:   one\ndata: </p>\n\n"
