"""What each runtime role may do in the database, compared with migrations/schema.sql: no more, no less."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.base.database import Database, Tx
from app.cli.examining.findings import Finding, well, wrong

SCHEMA = Path(__file__).resolve().parents[3] / "migrations" / "schema.sql"
_MOST = 20  # told one by one
_GRANT = re.compile(
    r"^GRANT (.+) ON (TABLE|SEQUENCE|FUNCTION) public\.(\w+)(?:\(.*\))? TO (godwit_\w+);$", re.MULTILINE
)
_RIGHT = re.compile(r"(\w+)(?:\((\w+)\))?")
#: Partitions have no rights of their own but what their table's upkeep gives them; owners have all.
_STANDS = """
with runtime as (select oid, rolname::text as role from pg_roles
                 where rolname in ('godwit_web', 'godwit_worker', 'godwit_operator'))
select r.role, lower(a.privilege_type) as act, '' as part,
       case c.relkind when 'S' then 'sequence' else 'table' end as kind, c.relname::text as name
from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
cross join lateral aclexplode(c.relacl) a
join runtime r on r.oid = a.grantee
where not c.relispartition
union all
select r.role, lower(a.privilege_type), t.attname::text, 'table', c.relname::text
from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
join pg_attribute t on t.attrelid = c.oid
cross join lateral aclexplode(t.attacl) a
join runtime r on r.oid = a.grantee
union all
select r.role, 'execute', '', 'function', p.proname::text
from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = 'public'
cross join lateral aclexplode(p.proacl) a
join runtime r on r.oid = a.grantee
"""
#: What runs with the owner's rights is for whom it was granted to, never for everybody.
_FOR_ALL = """
select p.oid::regprocedure::text as name
from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = 'public'
where p.prosecdef and p.prorettype <> 'trigger'::regtype
  and has_function_privilege('public', p.oid, 'execute')
"""
_OWNED = """
select c.relname::text as name, r.rolname::text as role
from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
join pg_roles r on r.oid = c.relowner
where r.rolname in ('godwit_web', 'godwit_worker', 'godwit_operator')
"""


@dataclass(frozen=True, order=True)
class Right:
    """One thing that one role may do; `part` is a column, '' for the whole."""

    role: str
    act: str
    part: str
    kind: str
    name: str

    @property
    def in_sql(self) -> str:
        """As GRANT and REVOKE name it."""
        part = f" ({self.part})" if self.part else ""
        kind = "" if self.kind == "table" else f"{self.kind} "
        return f"{self.act}{part} on {kind}{self.name}"


def wanted(schema: str) -> set[Right]:
    """The rights that a schema's dump grants to the runtime roles."""
    return {
        Right(role, "execute" if kind == "FUNCTION" else act.lower(), part, kind.lower(), name)
        for acts, kind, name, role in _GRANT.findall(schema)
        for act, part in _RIGHT.findall(acts)
    }


async def examine_rights() -> list[Finding]:
    """Whether each role may do what this version needs, and nothing beside it."""
    async with Database.for_role("operator", pooled=False).transaction() as tx:
        stands = await _standing(tx)
        for_all = [row.name for row in await tx.rows(_FOR_ALL)]
        owned = await tx.rows(_OWNED)
    needed = wanted(SCHEMA.read_text("utf-8"))
    found = [
        *_each(needed - stands, "may not {what}, which it needs", "grant {right} to {role};"),
        *_each(stands - needed, "may {what}, which nobody needs", "revoke {right} from {role};"),
    ]
    found += [
        wrong(
            "rights",
            f"Everybody may call {name}.",
            f"As the owner: revoke all on function {name} from public;",
        )
        for name in for_all
    ]
    found += [
        wrong(
            "rights",
            f"{row.role} owns {row.name}.",
            f"As a superuser: alter table {row.name} owner to godwit_owner;",
        )
        for row in owned
    ]
    if not found:
        return [
            well("rights", f"web, worker and operator have the {len(needed)} rights they need, and no other.")
        ]
    return found[:_MOST] + (
        [wrong("rights", f"… and {len(found) - _MOST} more like these.", "Mend these first.")]
        if len(found) > _MOST
        else []
    )


async def _standing(tx: Tx) -> set[Right]:
    return {Right(row.role, row.act, row.part, row.kind, row.name) for row in await tx.rows(_STANDS)}


def _each(rights: Iterable[Right], said: str, fix: str) -> list[Finding]:
    return [
        wrong(
            "rights",
            f"{one.role} {said.format(what=one.in_sql)}.",
            f"As the owner: {fix.format(right=one.in_sql, role=one.role)}",
        )
        for one in sorted(rights)
    ]
