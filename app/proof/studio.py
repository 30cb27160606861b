"""The bench `studio`: pages of lists, search and audience sizes of a large publication."""

import re
import statistics
import time
from collections.abc import Sequence
from html import unescape
from urllib.parse import urlsplit
from uuid import UUID

from app.accounts import session_cookie, start_session
from app.audiences import ReaderFilter, make_segment
from app.base.database import Database
from app.base.settings import settings
from app.posts import Writing, create_post
from app.proof.figures import Figure, Part, Scale
from app.proof.processes import body_of, web_process
from app.proof.publications import publication
from app.publishing import Press, publish
from app.webhooks import NewEndpoint, add_endpoint

#: Seconds for a whole page, from the request to its last byte.
_TARGET = 0.2
#: Readers, in times of the scale's large account; how often each page is asked, in times of the scale's.
_MANY, _OFTEN = 5, 4
_NAMES = "array['Anna','Ben','Carla','Dmitri','Elif','Fatou','Gustav','Hanako','Ines','Jörg']"
# What imports and forms of years would have left: joined over two years, some of them gone, some blocked.
_READERS = (
    f"update reader set name = ({_NAMES})[1 + hashtext(email) % 5 + 5]"
    " || ' ' || initcap(substr(md5(email), 1, 7)),"
    " source = case when hashtext(email) % 3 = 0 then 'form' else source end,"
    " form = case when hashtext(email) % 3 = 0 then 'form-' || abs(hashtext(email)) % 7 else '' end,"
    " joined_at = joined_at - abs(hashtext(email)) % 730 * interval '1 day' where account_id = :account",
    "insert into reader_tag (account_id, reader_id, tag)"
    " select account_id, id, 'tag-' || abs(hashtext(email)) % 20 from reader where account_id = :account",
    "insert into reader_tag (account_id, reader_id, tag)"
    " select account_id, id, 'rare' from reader where account_id = :account and hashtext(email) % 1000 = 0",
    "update subscription set state = 'unsubscribed' where account_id = :account"
    " and hashtext(reader_id::text) % 14 = 0",
    "insert into consent (account_id, reader_id, newsletter_id, act, how, at)"
    " select account_id, reader_id, newsletter_id, 'unsubscribed', 'a bench', changed_at"
    " - abs(hashtext(reader_id::text)) % 200 * interval '1 day'"
    " from subscription where account_id = :account and state = 'unsubscribed'",
    "insert into suppression (account_id, address, reason)"
    " select account_id, email, 'bounce' from reader"
    " where account_id = :account and hashtext(email) % 100 = 0",
)
_POSTS = (
    "create temporary table bench_post on commit drop as"
    " select n, gen_random_uuid() as id from generate_series(1, :posts) n",
    "insert into post (account_id, id, created_at)"
    " select :account, id, now() - n * interval '1 hour' from bench_post",
    "insert into draft (account_id, post_id, title, markdown)"
    " select :account, m.id, d.title || ' ' || m.n, d.markdown"
    " from bench_post m, draft d where d.post_id = :post",
)
# A month of a webhook that is told much: nearly all delivered, some refused.
_DELIVERIES = (
    "insert into event (account_id, webhook_id, type, data, sequence, body)"
    " select :account, 'evt_' || n, 'post.published', '{}', n, '' from generate_series(1, :deliveries) n",
    "alter table job disable trigger user",  # a job begins ready, and goes on from there
    "insert into job (account_id, queue, kind, args, share, state, attempts, reason, finished_at)"
    " select :account, 'webhooks', 'deliver_webhook', jsonb_build_object('delivery_id', gen_random_uuid(),"
    " 'event_id', e.id, 'endpoint_id', cast(:endpoint as uuid), 'redelivery', 0),"
    " 'endpoint:' || cast(:endpoint as uuid), s.it, 1, case when s.it = 'dead' then 'refused' end,"
    " case when s.it = 'done' then now() end from event e"
    " cross join lateral (select case when e.sequence % 1000 = 0 then 'dead' else 'done' end as it) s"
    " where e.account_id = :account order by e.id",
    "alter table job enable trigger user",
    "insert into delivery (account_id, id, event_id, endpoint_id, job_id)"
    " select account_id, cast(args ->> 'delivery_id' as uuid), cast(args ->> 'event_id' as bigint),"
    " cast(:endpoint as uuid), id from job where account_id = :account and kind = 'deliver_webhook'",
)


async def pages(scale: Scale) -> Sequence[Figure]:
    """One web process as it ships, asked page by page as a browser asks it."""
    readers, often = _MANY * scale.large, _OFTEN * scale.times
    web = Database.for_role("web")
    try:
        account = await publication(web, "large", readers)
        post, segment, endpoint, cookie = await _furnished(web, account, scale)
    finally:
        await web.close()
    host = urlsplit(settings().base_url).netloc
    headers = {"Host": host, "Cookie": cookie, "Accept-Encoding": "identity"}
    async with web_process() as port:
        deep = await _further(port, "/studio/large/readers", headers, 40)
        figures: list[Figure] = []
        for what, path in _asked("/studio/large", post, segment, endpoint, deep):
            seconds = [await _seconds(port, path, headers) for _ in range(often + 1)]
            idle = statistics.median([await _seconds(port, "/healthz", headers) for _ in range(often)])
            many = f"{readers:,} readers, {scale.posts:,} posts and {_MANY * scale.deliveries:,} deliveries"
            told = f"{many}; the whole page, from one web process"
            beside = f"an answer of that process without a question to the database: {idle * 1000:.0f} ms"
            # The first one is the process's own warming up.
            figures.append(Figure(what, tuple(seconds[1:]), _TARGET, f"{told}; {beside}"))
    return figures


def _asked(studio: str, post: UUID, segment: UUID, endpoint: UUID, deep: str) -> list[tuple[str, str]]:
    readers = f"{studio}/readers"
    return [
        ("the list of readers", readers),
        ("the list of readers, forty pages on", deep),
        ("readers who unsubscribed", f"{readers}?state=unsubscribed"),
        ("readers with a rare tag", f"{readers}?any=rare"),
        ("readers without a tag that many have", f"{readers}?none=tag-3"),
        ("readers by tag, form and day", f"{readers}?any=tag-3,tag-4&source=form&from=2020-01-01"),
        ("search, a part that one address has", f"{readers}?q=reader4242%40"),
        ("search, a part that all addresses have", f"{readers}?q=example"),
        ("search, a first name", f"{readers}?q=Hanako"),
        ("search, one letter", f"{readers}?q=h"),
        ("search, a part that nobody has", f"{readers}?q=zzqqzz"),
        ("segments, with their sizes", f"{readers}/segments"),
        ("who gets an email, and who is left out", f"{studio}/posts/{post}/publish"),
        ("growth and sources", f"{readers}/growth"),
        ("blocked addresses", f"{readers}/blocked"),
        ("home", studio),
        ("the list of posts", f"{studio}/posts"),
        ("search in posts", f"{studio}/posts?q=9999"),
        ("readers of a segment", f"{readers}?segment={segment}"),
        ("a webhook of many deliveries", f"{studio}/endpoints/{endpoint}"),
        ("those of its deliveries that failed", f"{studio}/endpoints/{endpoint}?state=failed"),
    ]


async def _furnished(web: Database, account: int, scale: Scale) -> tuple[UUID, UUID, UUID, str]:
    """A post to send, a segment, a webhook, and the owner's session."""
    async with web.transaction(account) as tx:
        words = "The bar-tailed godwit leaves a mudflat in Alaska. " * 20
        draft = await create_post(tx, Writing(title="Eleven days", markdown=words))
        await publish(tx, Press(key="bench", post_id=draft.post_id, site=True, email=None))
        wanted = ReaderFilter(state="active", any_tags=("tag-3", "tag-4"))
        segment = await make_segment(tx, "Three and four", wanted, "a bench")
        endpoint = (await add_endpoint(tx, NewEndpoint("https://hooks.example/")))[0].id
    url = settings().database.owner_url
    owner = Database(url, urlsplit(url).username or "", 1)
    try:
        async with owner.transaction() as tx:
            binds = {
                "account": account,
                "posts": scale.posts,
                "post": draft.post_id,
                "endpoint": endpoint,
                "deliveries": _MANY * scale.deliveries,
            }
            for statement in (*_READERS, *_POSTS, *_DELIVERIES):
                await tx.execute(
                    statement, **{name: binds[name] for name in binds if f":{name}" in statement}
                )
            creator = await tx.value("select creator_id from membership where account_id = :a", a=account)
        async with owner.transaction() as tx:
            await tx.execute("analyze")
    finally:
        await owner.close()
    async with web.transaction() as tx:
        cookie = session_cookie(await start_session(tx, creator))
    return draft.post_id, segment, endpoint, f"{cookie.key}={cookie.value}"


async def _further(port: int, path: str, headers: dict[str, str], pages: int) -> str:
    """So many pages on in a list, by its own links; as far as it goes."""
    for _ in range(pages):
        older = re.search(r'rel="next" href="([^"]+)"', await body_of(port, path, headers))
        if older is None:
            break
        path = unescape(older[1])
    return path


async def _seconds(port: int, path: str, headers: dict[str, str]) -> float:
    began = time.monotonic()
    await body_of(port, path, headers)
    return time.monotonic() - began


STUDIO = (Part("pages of a large publication", {}, (), pages, ("large", "posts", "deliveries", "times")),)
