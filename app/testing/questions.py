"""How a tester's request is read: parameters and JSON bodies, each problem told by name."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from litestar import Request

from app.accounts import account_named
from app.base.addresses import AddressError, canonical
from app.base.database import Database, Tx
from app.base.errors import Invalid, NotFound, Problem


def refuse_others(given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Raises Invalid naming every parameter that is not one of `known`."""
    words = f"There is no such option here; there are {', '.join(known)}." if known else "No options here."
    problems = [Problem(name, words) for name in given if name not in known]
    if problems:
        raise Invalid(problems)


async def body_of(request: Request, known: tuple[str, ...]) -> dict[str, Any]:
    """The JSON object in the body ({} for none), with no other keys than `known`."""
    raw = await request.body()
    if not raw.strip():
        return {}
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"The body is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise Invalid("The body is a JSON object, such as {}.")
    refuse_others(found, known)
    return found


def number(
    given: Mapping[str, Any],
    name: str,
    usual: float | None,
    *,
    least: float,
    most: float,
    whole: bool = False,
) -> float | None:
    """A number within bounds. Raises Invalid naming them."""
    value = given.get(name, usual)
    if value is None:
        return None
    try:
        found = float(value) if not isinstance(value, bool) else float("nan")
    except (TypeError, ValueError, OverflowError):
        found = float("nan")
    if not least <= found <= most or (whole and found != int(found)):
        kind = "a whole number" if whole else "a number"
        raise Invalid([Problem(name, f"This is {kind} from {least:,g} to {most:,.0f}.")])
    return found


def moment(text: str | None, name: str) -> datetime | None:
    """An instant by RFC 3339, UTC when it names no zone. Raises Invalid."""
    if not text:
        return None
    try:
        # An unescaped + of a zone arrives as a space.
        found = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise Invalid([Problem(name, "This is an instant such as 2026-11-30T09:30:00Z.")]) from error


def address(text: str | None, name: str) -> str:
    """A mail address in canonical form, '' for none. Raises Invalid."""
    if not text:
        return ""
    try:
        return canonical(text)
    except AddressError as error:
        raise Invalid([Problem(name, str(error))]) from error


async def account_asked(tx: Tx, slug: str | None) -> int | None:
    """The id of `?account=`, None when none is named. Raises NotFound."""
    if not slug:
        return None
    found = await account_named(tx, slug)
    if found is None:
        raise NotFound(f"There is no account {slug!r}.")
    return found


def database_of(request: Request) -> Database:
    """The web process's pool."""
    return request.app.state.database
