"""Plans: made, changed, put in order, archived. A plan that somebody ever had is never deleted."""

import re
import unicodedata
from dataclasses import dataclass
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, NotFound, Problem
from app.base.fields import one_line

MOST_NAME, MOST_DESCRIPTION, MOST_SLUG, MOST_PLANS = 120, 500, 63, 50
_SLUG = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_MAKE = """
insert into plan (account_id, id, slug, name, description, position)
select :account, :id, :slug, :name, :description,
       coalesce((select max(position) from plan where account_id = :account), 0) + 1
on conflict (account_id, slug) do nothing
"""
_CHANGE = """
update plan set slug = :slug, name = :name, description = :description
where account_id = :account and id = :id
  and not exists (select from plan p where p.account_id = :account and p.slug = :slug and p.id <> :id)
"""
_ARCHIVE = """
update plan set archived_at = case when :archived then coalesce(archived_at, godwit_now()) end
where account_id = :account and id = :id
"""
_LOCKED = """
select id from plan where account_id = :account and archived_at is null
order by position, created_at, id for update
"""
_PLACE = "update plan set position = :position where account_id = :account and id = :id"
_COUNT = "select count(*) from plan where account_id = :account"
_BY_SLUG = "select id from plan where account_id = :account and slug = :slug"


@dataclass(frozen=True)
class Offer:
    """What a plan says of itself. An empty slug follows the name."""

    name: str
    description: str = ""
    slug: str = ""


async def make_plan(tx: Tx, offer: Offer) -> UUID:
    """A new plan, last in the order. Raises Invalid, Conflict (taken, or too many)."""
    wanted = _checked(offer)
    if await tx.value(_COUNT, account=tx.account_id) >= MOST_PLANS:
        raise Conflict(f"There are {MOST_PLANS} plans already, archived ones counted. Change one of them.")
    made = ids.new()
    new = await tx.execute(
        _MAKE,
        account=tx.account_id,
        id=made,
        slug=wanted.slug,
        name=wanted.name,
        description=wanted.description,
    )
    if not new:
        raise _taken(wanted.slug)
    return made


async def change_plan(tx: Tx, plan_id: UUID, offer: Offer) -> None:
    """What the plan says of itself from now on. Raises NotFound, Invalid, Conflict."""
    wanted = _checked(offer)
    done = await tx.execute(
        _CHANGE,
        account=tx.account_id,
        id=plan_id,
        slug=wanted.slug,
        name=wanted.name,
        description=wanted.description,
    )
    if done:
        return
    if await tx.value(_BY_SLUG, account=tx.account_id, slug=wanted.slug) not in (None, plan_id):
        raise _taken(wanted.slug)
    raise NotFound("There is no such plan.")


async def archive_plan(tx: Tx, plan_id: UUID, *, archived: bool) -> None:
    """Offer it no longer, or again; nobody's access changes (promise 7). Raises NotFound."""
    if not await tx.execute(_ARCHIVE, account=tx.account_id, id=plan_id, archived=archived):
        raise NotFound("There is no such plan.")


async def move_plan(tx: Tx, plan_id: UUID, *, up: bool) -> None:
    """One place up or down among those on offer; at the end of the list nothing changes."""
    order = [row.id for row in await tx.rows(_LOCKED, account=tx.account_id)]
    if plan_id not in order:
        raise NotFound("There is no such plan on offer.")
    there = order.index(plan_id)
    place = max(0, there - 1) if up else min(len(order) - 1, there + 1)
    order.insert(place, order.pop(there))
    await tx.many(
        _PLACE, [{"account": tx.account_id, "id": one, "position": n} for n, one in enumerate(order, 1)]
    )


async def plan_named(tx: Tx, slug: str, name: str) -> UUID:
    """The plan with this slug, made under this name if there is none; for what imports bring."""
    slug = _slug_of(slug) or _slug_of(name) or "plan"
    name = one_line(name)[:MOST_NAME].strip() or slug
    await tx.execute(_MAKE, account=tx.account_id, id=ids.new(), slug=slug, name=name, description="")
    return await tx.value(_BY_SLUG, account=tx.account_id, slug=slug)


def _checked(offer: Offer) -> Offer:
    """The offer as it is kept. Raises Invalid with everything that is wrong."""
    name, problems = one_line(offer.name), []
    description = one_line(offer.description)
    slug = offer.slug.strip().lower() or _slug_of(name) or "plan"
    if not name:
        problems.append(Problem("name", "Give the plan a name."))
    if len(name) > MOST_NAME:
        problems.append(Problem("name", f"The name may have at most {MOST_NAME} characters."))
    if len(description) > MOST_DESCRIPTION:
        problems.append(
            Problem("description", f"The description may have at most {MOST_DESCRIPTION} characters.")
        )
    if not _SLUG.fullmatch(slug):
        message = "The short name takes small letters a–z, digits and hyphens between them, 63 at most."
        problems.append(Problem("slug", message))
    if problems:
        raise Invalid(problems)
    return Offer(name, description, slug)


def _slug_of(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MOST_SLUG].strip("-")


def _taken(slug: str) -> Conflict:
    return Conflict(f"Another plan has the short name “{slug}”. Choose a different one.")
