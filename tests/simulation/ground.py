"""The database of the simulation: as migrated, but with a clock of its own, and emptied between seeds.

`sim.clock_timestamp()` stands before PostgreSQL's in the search path, so the statements of the product read
virtual time word for word as they are; what the migrations fixed to PostgreSQL's own is made anew. The clock
is a sequence: every transaction sees it at once, and each one's begin moves it by a microsecond.
"""

from datetime import UTC, datetime
from uuid import UUID

from app.base import ids
from tests.simulation.control import Control

#: Virtual second 0.
BEGAN = datetime(2026, 12, 2, 10, 0, tzinfo=UTC)
ACCOUNTS = (1, 2)
_EPOCH_US = int(BEGAN.timestamp()) * 1_000_000

_CLOCK = f"""
create schema sim;
create sequence sim.clock start {_EPOCH_US};
create function sim.clock_timestamp() returns timestamptz language sql volatile
    as $$ select pg_catalog.to_timestamp(last_value / 1e6) from sim.clock $$;
create function sim.advance(us bigint) returns void language sql
    as $$ select setval('sim.clock', greatest(us + {_EPOCH_US}, (select last_value from sim.clock))) $$;
create table sim.cause (key text not null, by text not null);
create table sim.stepped (job bigint not null, n integer not null, lease bigint not null);
grant usage on schema sim to public;
grant all on all sequences in schema sim to public;
grant all on all tables in schema sim to public;
"""
_FUNCTIONS = """
select pg_get_functiondef(p.oid) as made from pg_proc p
join pg_namespace n on n.oid = p.pronamespace and n.nspname in ('public', 'mailbox')
where p.prokind = 'f' and p.prosrc ~ 'clock_timestamp\\(\\)'
"""
_DEFAULTS = """
select c.oid::regclass::text as name, a.attname as col, pg_get_expr(d.adbin, d.adrelid) as made from
pg_attrdef d
join pg_class c on c.oid = d.adrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum
join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
where pg_get_expr(d.adbin, d.adrelid) ~ '(^|[^.])clock_timestamp\\(\\)'
"""
_WRITTEN = (
    *(
        "attempt",
        "delivery",
        "event",
        "event_counter",
        "possible_double",
        "send",
        "tally",
        "batch",
        "mailing",
    ),
    *("job", "job_key", "lane", "limit_bucket", "switch", "switch_change", "provider_refusal", "consent"),
    *("subscription", "suppression", "suppression_change", "reader", "sim.cause", "sim.stepped"),
)
_ACCOUNT = "select open_account($1, 'Tidelines', '', $2, $3)"
_READERS = """
with made as (
    insert into reader (account_id, id, email, name, source, created_at)
    select $1::bigint, cast(lpad(to_hex($1::bigint), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(n), 12,
    '0') as uuid),
           'r' || n || '@example.com', 'Reader ' || n, 'import', $4::timestamptz from generate_series(1,
           $3::int) n
    returning id
)
insert into subscription (account_id, reader_id, newsletter_id, state, consent_source, consent_at, changed_at)
select $1::bigint, id, $2::uuid, 'active', 'test', $4::timestamptz, $4::timestamptz from made
"""


class Ground:
    """The database, and what stands in it from seed to seed: accounts, newsletters, creators."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self.newsletters: dict[int, UUID] = {}
        self.endpoint: UUID | None = None

    def laid(self) -> "Ground":
        """Give it its clock, and accounts."""
        run = self.control.run
        run(_CLOCK)
        for row in self.control.rows(_FUNCTIONS):
            run(row["made"].replace("clock_timestamp()", "sim.clock_timestamp()"))
        for row in self.control.rows(_DEFAULTS):
            made = row["made"].replace("clock_timestamp()", "sim.clock_timestamp()")
            run(f"alter table {row['name']} alter column {row['col']} set default {made}")
        name = self.control.value("select current_database()")
        run(f'alter database "{name}" set search_path = sim, pg_catalog, public')
        run(f"alter database \"{name}\" set deadlock_timeout = '1h'")  # the scheduler finds them first
        run("set session_replication_role = replica; set search_path = sim, pg_catalog, public")
        self._people()
        return self

    def cleared(self, readers: dict[int, int], *, endpoint: bool) -> None:
        """Nothing of the seed before is left; so many readers in each account; second 0. `endpoint`: there
        is one."""
        statements = "".join(f"delete from {name};" for name in _WRITTEN)
        self.control.run(
            f"begin; {statements} select setval('sim.clock', {_EPOCH_US});"
            " select setval('job_id_seq', 1000); select setval('job_lease', 1000);"
            " select setval('event_id_seq', 100);"
            " update endpoint set state = 'active', reason = null, failures = 0, failing_since = null,"
            " era = 0,"
            " unheard = 0, unheard_since = null,"
            f" deleted_at = {'null' if endpoint else 'created_at'}; commit"
        )
        for account, n in readers.items():
            self.control.rows(_READERS, account, self.newsletters[account], n, BEGAN)

    def _people(self) -> None:
        with ids.seeded("simulation"):
            for account in ACCOUNTS:
                creator, newsletter = ids.new(), ids.new()
                self.control.rows(
                    "insert into creator (id, email, name) values ($1, $2, 'Ana')",
                    creator,
                    f"ana{account}@example.org",
                )
                made = self.control.value(_ACCOUNT, f"a{account}", creator, newsletter)
                self.newsletters[made] = newsletter

    def reader(self, account: int, n: int) -> UUID:
        """The n-th reader of an account."""
        return UUID(f"{account:08x}-0000-7000-8000-{n:012x}")

    @property
    def accounts(self) -> list[int]:
        """The accounts' numbers."""
        return list(self.newsletters)


def seconds_of(moment: datetime) -> float:
    """Virtual seconds of a database's time."""
    return (moment - BEGAN).total_seconds()
