"""Testing mode's resets and seeds with two thousand readers, within the time the contract names."""

import os
import time
from typing import Any

import httpx

from app.base.database import Database
from tests.testing.makers import working
from tests.testing.test_accounts import api_of


async def timed(tester: httpx.AsyncClient, path: str, body: dict[str, Any]) -> float:
    began = time.perf_counter()
    told = await tester.post(path, json=body)
    assert told.status_code == 200, told.text
    return time.perf_counter() - began


async def test_two_thousand_readers_are_gone_and_back_in_time(
    godwit: str, tester: httpx.AsyncClient, worker: Database
) -> None:
    """An account within 300 ms, all within a second, on a machine that does nothing else.

    The best of three counts, of nine beside a noisy neighbour; where more wants to run than there are
    processors, so much longer is allowed.
    """
    slack = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    asked = {"seed": 1, "readers": 2000, "posts": 3}
    made = [(await tester.post("/accounts", json=asked | {"seed": seed})).json() for seed in (1, 2)]
    one = f"?account={made[0]['slug']}"
    took: dict[str, list[float]] = {"reset": [], "seed": [], "all": []}
    for n in range(9):
        if n >= 3 and max(min(took["reset"]), min(took["seed"])) < 0.3 * slack:
            break
        async with api_of(godwit, made[0]) as api:
            post = (await api.get("/posts")).json()["items"][0]
            assert (await api.post(f"/posts/{post['id']}/publish", json={"email": {}})).status_code == 202
        async with working(worker):
            assert (await tester.post("/drain", json={"timeout": 60})).json()["quiet"] is True
        took["reset"].append(await timed(tester, f"/reset{one}", {}))
        took["seed"].append(await timed(tester, f"/seed{one}", asked))
        async with api_of(godwit, made[0]) as api:
            assert len((await api.get("/readers?limit=200")).json()["items"]) == 200
    took["all"].append(await timed(tester, "/reset", {}))
    assert min(took["reset"]) < 0.3 * slack, took
    assert min(took["seed"]) < 0.3 * slack, took
    assert min(took["all"]) < 1.0 * slack, took
