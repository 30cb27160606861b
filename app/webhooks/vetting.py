"""The address of a webhook, looked at before it is kept: its form, and where its name leads (W3)."""

from dataclasses import dataclass

from app.base.errors import Invalid, Problem
from app.egress import NotAllowed, NotReached, Policy, target_of, vetted


@dataclass(frozen=True)
class Address:
    """An address that may be kept, in the one way of writing it. `warning`: what to know of it, or ''."""

    url: str
    warning: str


async def vet(url: str, policy: Policy) -> Address:
    """Look at an address that somebody typed; call it outside any transaction. Raises Invalid.

    A name that leads nowhere yet is taken, with a warning: the other program may be set up later. Each
    attempt looks again.
    """
    try:
        target = target_of(url.strip())
    except NotAllowed as refused:
        raise Invalid([Problem("url", refused.reason)]) from refused
    try:
        await vetted(target, policy)
    except NotAllowed as refused:
        raise Invalid([Problem("url", refused.reason)]) from refused
    except NotReached as away:
        return Address(target.url, f"{away.reason} Once it leads somewhere, what happens is told there.")
    return Address(target.url, "")
