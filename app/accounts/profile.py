"""What a publication says of itself, as its owner changes it."""

from dataclasses import dataclass
from functools import cache
from zoneinfo import available_timezones

from app.accounts.sign_up import check_name, check_postal_address
from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.base.errors import Invalid, Problem

_CHANGE = """
update account set name = :name, description = :description, postal_address = :postal_address,
                   sender_name = :sender_name, reply_to = :reply_to,
                   zone = :zone, undo_seconds = :undo_seconds
where id = :account
"""

#: The longest undo time (s), as the account's table allows it.
LONGEST_UNDO = 600


@dataclass(frozen=True)
class Profile:
    """The fields of the settings page, as typed."""

    name: str
    description: str
    postal_address: str
    sender_name: str
    reply_to: str
    zone: str
    undo_seconds: str


@cache
def zones() -> frozenset[str]:
    """The time zones by which people live: named for a place, or UTC."""
    return frozenset(
        name
        for name in available_timezones()
        if name == "UTC"
        or ("/" in name and not name.startswith(("Etc/", "SystemV/", "US/", "posix/", "right/")))
    )


def undo_time(typed: str) -> int | None:
    """The undo time (s) that was typed; None for what can be none."""
    given = typed.strip()
    known = given.isascii() and given.isdigit() and len(given) < 5 and int(given) <= LONGEST_UNDO
    return int(given) if known else None


async def change_profile(tx: Tx, typed: Profile) -> None:
    """Save it in the transaction's account. Raises Invalid with every problem, by field."""
    problems = check_name(typed.name.strip(), "name", "Give the publication a name.")
    problems += check_name(typed.sender_name.strip(), "sender_name", "")
    problems += check_postal_address(typed.postal_address.strip())
    if len(typed.description.strip()) > 500:
        too_long = f"This is {len(typed.description.strip())} characters long; the most is 500."
        problems.append(Problem("description", too_long))
    reply_to = None
    if typed.reply_to.strip():
        try:
            reply_to = canonical(typed.reply_to)
        except AddressError as error:
            problems.append(Problem("reply_to", error.detail))
    zone = _zone(typed.zone, problems)
    undo_seconds = _undo_seconds(typed.undo_seconds, problems)
    if problems:
        raise Invalid(problems)
    await tx.execute(
        _CHANGE,
        account=tx.account_id,
        name=typed.name.strip(),
        description=typed.description.strip(),
        postal_address=typed.postal_address.strip(),
        sender_name=typed.sender_name.strip(),
        reply_to=reply_to,
        zone=zone,
        undo_seconds=undo_seconds,
    )


def _zone(typed: str, problems: list[Problem]) -> str:
    """The zone that was meant: by its name or its place alone, in any case, with spaces or without."""
    wanted = "_".join(typed.split()).casefold()
    found = [name for name in zones() if wanted in (name.casefold(), name.rsplit("/", 1)[-1].casefold())]
    if len(found) == 1:
        return found[0]
    if found:
        told = f"“{typed.strip()}” may be {' or '.join(sorted(found))}: write one of them."
    elif wanted:
        told = f"There is no time zone “{typed.strip()[:80]}”. Take the nearest large city, or UTC."
    else:
        told = "Give a time zone: the nearest large city, or UTC."
    problems.append(Problem("zone", told))
    return ""


def _undo_seconds(typed: str, problems: list[Problem]) -> int:
    seconds = undo_time(typed)
    if seconds is None:
        problems.append(Problem("undo_seconds", f"Choose how long: 0 to {LONGEST_UNDO} seconds."))
        return 0
    return seconds
