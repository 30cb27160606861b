"""How long a sign-in code takes beside everything bad (E10)."""

from urllib.parse import urlsplit

from app.answers import plural
from app.base.database import Database
from app.base.settings import settings
from app.messages import SignInCode, TeamNotice, queue_message
from app.proof.figures import Figure, Scale
from app.proof.publications import publication
from app.proof.waiting import seconds_until

_TARGET = 1.0
_NOTICE = TeamNotice("ana@example.org", "Much", ("One of many.",), "http://localhost/", "Open", "Heavy")
#: One message as often as wanted, each with an id of its own, and short: what counts here is their number.
_FILL = """
insert into job (account_id, queue, kind, args, share, max_attempts, on_unknown)
select j.account_id, j.queue, j.kind,
       j.args || jsonb_build_object('delivery_id', gen_random_uuid(), 'html', null), j.share, j.max_attempts,
       j.on_unknown
from job j, generate_series(1, :n) where j.id = :id
"""
#: The database takes no block for such a reason, so its handler raises each time.
_RAISING = """
insert into job (account_id, queue, kind, args, share, max_attempts)
select cast(:account as bigint), 'housekeeping', 'address_bounced',
       jsonb_build_object('address', 'a@example.org', 'reason', 'no reason of ours', 'detail', ''),
       cast(cast(:account as bigint) as text), 20
from generate_series(1, :n)
"""
_KILLING = """
insert into job (account_id, queue, kind, args, share, max_attempts)
select cast(:account as bigint), 'imports', 'import_readers',
       jsonb_build_object('import_id', gen_random_uuid()), cast(cast(:account as bigint) as text), 20
from generate_series(1, :n)
"""
_KILL = """
insert into mailbox.fault (target, kind, at, match_job)
values ('worker', 'kill', 'after_claim', 'import_readers')
"""
_SEEN = """
select (select coalesce(sum(fired), 0) from mailbox.fault) as killed,
       (select coalesce(sum(attempts), 0) from job
        where kind = 'address_bounced' and state <> 'leased') as raised
"""
_READY = "select count(*) from job where state = 'ready' and queue = 'messages'"
_THERE = "select exists (select from mailbox.mail where to_address = :address)"


async def code_beside_bad_jobs(scale: Scale) -> Figure:
    """From the commit that queues a code to its being with the provider."""
    web = Database.for_role("web")
    owner_url = settings().database.owner_url
    owner = Database(owner_url, urlsplit(owner_url).username or "", 2)
    try:
        await _burden(web, owner, scale)
        await _seconds_to_provider(web, "first")  # the worker has started

        async def all_bad() -> bool:
            async with owner.transaction() as tx:
                seen = await tx.row(_SEEN)
            assert seen is not None
            return seen.killed > 0 and seen.raised > 0

        await seconds_until(all_bad, "a killed worker and a job that raised")
        seconds = tuple([await _seconds_to_provider(web, f"code{n}") for n in range(scale.codes)])
        async with owner.transaction() as tx:
            ready, seen = await tx.value(_READY), await tx.row(_SEEN)
        assert seen is not None
    finally:
        await web.close()
        await owner.close()
    return Figure(
        what=f"a sign-in code at the provider, beside an account with {scale.jobs:,} jobs ready",
        seconds=seconds,
        target=_TARGET,
        meanwhile=f"{ready:,} of the jobs were still ready, jobs had killed {plural(seen.killed, 'worker')},"
        f" {plural(seen.raised, 'try', 'tries')} of a kind that always raises had failed",
    )


async def _burden(web: Database, owner: Database, scale: Scale) -> None:
    heavy, raising, killing = [await publication(web, slug) for slug in ("heavy", "raising", "killing")]
    async with web.transaction(heavy) as tx:
        message = await queue_message(tx, _NOTICE)
    few = max(10, scale.jobs // 20)
    async with owner.transaction() as tx:
        await tx.execute(_FILL, id=message, n=scale.jobs)
        await tx.execute(_RAISING, account=raising, n=few)
        await tx.execute(_KILLING, account=killing, n=few)
        await tx.execute(_KILL)
    async with owner.transaction() as tx:
        await tx.execute("analyze job")


async def _seconds_to_provider(web: Database, name: str) -> float:
    address = f"{name}@example.org"
    async with web.transaction() as tx:
        until = await tx.value("select godwit_now() + interval '10 minutes'")
        await queue_message(tx, SignInCode(address, "123456", 10, "http://localhost/", until))

    async def there() -> bool:
        async with web.transaction() as tx:
            return bool(await tx.value(_THERE, address=address))

    return await seconds_until(there, "a code at the provider")
