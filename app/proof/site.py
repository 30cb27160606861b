"""How fast a public page is answered: kept, made anew, and beside them the bare framework."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

from app.base.database import Database
from app.base.errors import Unavailable
from app.base.settings import settings
from app.posts import Writing, create_post, path_of
from app.proof.figures import Part, Rate, Scale
from app.proof.orders import Order, Tally
from app.proof.processes import running, told_by
from app.proof.publications import publication
from app.publishing import Press, publish

CONNECTIONS = 32
_KEPT, _MADE = 4000.0, 1500.0
_SECONDS = 4.0
_WORDS = "The bar-tailed godwit leaves a mudflat in Alaska and does not come down until it sees Tasmania. "
#: The one post as often as wanted, each at an address of its own.
_COPY_REVISIONS = """
insert into revision (account_id, id, post_id, number, title, slug, markdown, html, excerpt, access, minutes)
select r.account_id, made.id, made.post_id, 1, r.title, 'post-' || made.n, '', r.html, r.excerpt, r.access,
       r.minutes
from revision r, bench_post made where r.post_id = :post
"""
_COPY = (
    "create temporary table bench_post on commit drop as"
    " select n, gen_random_uuid() as id, gen_random_uuid() as post_id from generate_series(1, :n) n",
    "insert into post (account_id, id) select :account, post_id from bench_post",
    _COPY_REVISIONS,
    "update post set slug = 'post-' || m.n, live_revision_id = m.id,"
    " published_at = now() - m.n * interval '1 hour' from bench_post m where post.id = m.post_id",
)


async def pages(scale: Scale) -> Sequence[Rate]:
    """One web process as it ships, and the bare framework in another, in turn."""
    web = Database.for_role("web")
    try:
        account = await publication(web, "large")
        post = await filled(web, account, scale.posts)
    finally:
        await web.close()
    with tempfile.TemporaryDirectory(prefix="godwit-bench-") as folder:
        async with running("app.cli", "web", "--port") as site:
            body = await _body(site, "large.localhost", post)
            kept = Path(folder) / "page"
            kept.write_bytes(body)
            async with running("app.proof.bare", last=str(kept)) as bare:
                return await _rounds(site, bare, post, scale, len(body))


async def _rounds(site: int, bare: int, post: str, scale: Scale, size: int) -> Sequence[Rate]:
    tallies: dict[str, list[Tally]] = {"bare": [], "kept": [], "made": []}
    rounds, share = scale.times, scale.posts // scale.times
    host = "large.localhost"
    for n in range(rounds):
        fresh = [f"/post-{one}" for one in range(n * share + 1, (n + 1) * share + 1)]
        orders = {
            "bare": Order(bare, host, [post], CONNECTIONS, _SECONDS),
            "kept": Order(site, host, [post], CONNECTIONS, _SECONDS),
            "made": Order(site, host, fresh, CONNECTIONS, 60.0, once=True),
        }
        for name, order in orders.items():
            tallies[name].append(await told_by("app.proof.hammer", order, Tally, order.seconds + 30))
    at = f"{CONNECTIONS} connections, a page of {size:,} bytes"
    return [
        _rate("a public post that is kept, from one process", tallies["kept"], _KEPT, at),
        _rate("a public post made anew, from one process", tallies["made"], _MADE, f"{at}, each post once"),
        _rate("the bare framework with the same bytes, beside them", tallies["bare"], None, at),
    ]


def _rate(what: str, tallies: Sequence[Tally], target: float | None, at: str) -> Rate:
    worst = max(one.p99 for one in tallies)
    failed = sum(one.failed for one in tallies)
    return Rate(
        what=what,
        per_second=tuple((one.answers - one.failed) / one.seconds for one in tallies),
        target=target,
        meanwhile=f"{at}; p99 {worst * 1000:.1f} ms at worst (promised: 60), {failed:,} failed",
        failed=failed,
    )


async def filled(web: Database, account: int, posts: int) -> str:
    """A post of some 15 kB as a page, published, and copies of it; answers its path."""
    text = "\n\n".join(f"## Part {n}\n\n{_WORDS * 6}" for n in range(1, 21))
    async with web.transaction(account) as tx:
        draft = await create_post(tx, Writing(title="Eleven days over the Pacific", markdown=text))
        await publish(tx, Press(key="bench", post_id=draft.post_id, site=True, email=None))
    url = settings().database.owner_url
    owner = Database(url, urlsplit(url).username or "", 1)
    try:
        async with owner.transaction() as tx:
            for statement in _COPY:
                binds: dict[str, int | UUID] = {"account": account, "n": posts, "post": draft.post_id}
                await tx.execute(
                    statement, **{name: binds[name] for name in binds if f":{name}" in statement}
                )
        async with owner.transaction() as tx:
            await tx.execute("analyze")
    finally:
        await owner.close()
    return path_of("eleven-days-over-the-pacific")


async def _body(port: int, host: str, path: str) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise Unavailable(f"Nothing could be measured: the page answers {head[:40].decode('latin-1')}.")
    return body


SITE = (Part("public pages, beside the bare framework", {}, (), pages, ("posts", "times")),)
