"""The bench `testing`: an account of two thousand readers emptied and filled anew, as testers ask for it."""

import time
from collections.abc import Sequence
from typing import Any

import msgspec

from app.base.errors import Unavailable
from app.proof.figures import Figure, Part, Scale
from app.proof.processes import web_process
from app.proof.wire import Wire

#: What the contract names: readers of the account, and seconds for one account and for all.
_READERS, _ONE, _ALL = 2000, 0.3, 1.0
_SEED = {"readers": _READERS, "posts": 3}
_OFTEN = 3


async def resets(scale: Scale) -> Sequence[Figure]:
    """Two accounts, one of them mailed to its last reader before each reset; a web process as it ships."""
    taken: dict[str, list[float]] = {"reset": [], "seed": [], "all": []}
    async with web_process() as port:
        tester = await Wire.to(port)
        mailed, other = [await _told(tester, "/testing/accounts", _SEED | {"seed": n}) for n in (1, 2)]
        for n in range(_OFTEN * scale.times + 1):
            await _mailed(tester, mailed)
            took = {"reset": await _seconds(tester, f"/testing/reset?account={mailed['slug']}", {})}
            took["seed"] = await _seconds(tester, f"/testing/seed?account={mailed['slug']}", _SEED)
            took["all"] = await _seconds(tester, "/testing/reset", {})
            for account in (mailed, other):
                await _told(tester, f"/testing/seed?account={account['slug']}", _SEED)
            for name in taken if n else ():  # the first one is the process's own warming up
                taken[name].append(took[name])
        tester.close()
    held = f"{_READERS:,} readers and 3 posts an account"
    return [
        Figure(f"an account of {_READERS:,} readers emptied", tuple(taken["reset"]), _ONE, f"mailed; {held}"),
        Figure(f"an account filled with {_READERS:,} readers", tuple(taken["seed"]), _ONE, held),
        Figure("all accounts emptied", tuple(taken["all"]), _ALL, f"two; {held}"),
    ]


async def _mailed(tester: Wire, account: dict[str, Any]) -> None:
    """Mail one of its posts to all its readers, and wait until everybody has it."""
    key = account["api_key"]
    posts = await _told(tester, "/api/v1/posts", None, key)
    await _told(tester, f"/api/v1/posts/{posts['items'][0]['id']}/publish", {"email": {}}, key)
    drained = await _told(tester, "/testing/drain", {"timeout": 60})
    if not drained["quiet"]:
        raise Unavailable(f"Nothing could be measured: after a minute there waits {drained['waiting']}.")


async def _seconds(tester: Wire, path: str, body: dict[str, Any]) -> float:
    began = time.perf_counter()
    await _told(tester, path, body)
    return time.perf_counter() - began


async def _told(tester: Wire, path: str, body: dict[str, Any] | None, key: str = "") -> Any:
    """What is answered to a GET, or to a POST of this body. Raises Unavailable when it is refused."""
    sent = b"" if body is None else msgspec.json.encode(body)
    lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", "Host: localhost"]
    lines += ["Content-Type: application/json", f"Content-Length: {len(sent)}"]
    lines += [f"Authorization: Bearer {key}"] if key else []
    status, answer = await tester.ask("\r\n".join([*lines, "", ""]).encode() + sent)
    if not 200 <= status < 300:
        said = answer[:200].decode("utf-8", "replace")
        raise Unavailable(f"Nothing could be measured: {path} answers {status}, {said}.")
    return msgspec.json.decode(answer)


TESTING = (Part("accounts emptied and filled in testing mode", {}, (None,), resets, ("times",)),)
