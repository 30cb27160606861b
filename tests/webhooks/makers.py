"""Accounts, endpoints and events for the tests of webhooks."""

from typing import Any
from uuid import UUID

from app import webhooks
from app.base.database import Database

URL = "https://hooks.example.com/godwit"


async def an_account(owner: Database, account: int = 7, slug: str = "seven") -> int:
    """An account of that number."""
    async with owner.transaction() as tx:
        await tx.execute("insert into account (id, slug, name) values (:a, :s, :s)", a=account, s=slug)
    return account


async def an_endpoint(
    web: Database, *events: str, url: str = URL, account: int = 7
) -> tuple[webhooks.Endpoint, str]:
    """An endpoint of these events (all of them when none is named), and its secret."""
    async with web.transaction(account) as tx:
        return await webhooks.add_endpoint(tx, webhooks.NewEndpoint(url, events or ("*",)))


async def tell(
    web: Database,
    type: str = "post.published",
    data: dict[str, Any] | None = None,
    *,
    account: int = 7,
    **how: Any,
) -> None:
    """Announce in a transaction of its own."""
    async with web.transaction(account) as tx:
        await webhooks.announce(tx, type, data or {"post": {"title": "One"}}, **how)


async def rows(owner: Database, statement: str, **binds: object) -> list[Any]:
    """Look behind the policies."""
    async with owner.transaction() as tx:
        return await tx.rows(statement, **binds)


async def lines(web: Database, endpoint_id: UUID, account: int = 7) -> list[webhooks.DeliveryLine]:
    """The endpoint's deliveries, oldest first."""
    async with web.transaction(account) as tx:
        return (await webhooks.deliveries(tx, endpoint_id))[::-1]
