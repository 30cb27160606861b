"""Accounts, endpoints and events for the tests of webhooks."""

from typing import Any
from uuid import UUID

from app import webhooks
from app.base.database import Database
from tests.waiting import until

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
        await webhooks.announce(tx, webhooks.News(type, data or {"post": {"title": "One"}}, **how))


async def rows(owner: Database, statement: str, **binds: object) -> list[Any]:
    """Look behind the policies."""
    async with owner.transaction() as tx:
        return await tx.rows(statement, **binds)


async def lines(web: Database, endpoint_id: UUID, account: int = 7) -> list[webhooks.DeliveryLine]:
    """The endpoint's deliveries, oldest first."""
    async with web.transaction(account) as tx:
        return (await webhooks.deliveries(tx, endpoint_id))[::-1]


async def in_states(web: Database, endpoint_id: UUID, *states: str) -> list[webhooks.DeliveryLine]:
    """Wait until the endpoint's deliveries are in these states, oldest first; the deliveries."""

    async def there() -> list[webhooks.DeliveryLine] | None:
        found = await lines(web, endpoint_id)
        return found if [line.state for line in found] == list(states) else None

    return await until(there)


async def tried(web: Database, endpoint_id: UUID, times: int) -> webhooks.DeliveryLine:
    """Wait until the endpoint's one delivery was tried so often, and is to be tried again; it."""

    async def there() -> webhooks.DeliveryLine | None:
        found = await lines(web, endpoint_id)
        waits = [
            line for line in found if line.state == "retrying" and line.attempts == times and line.next_at
        ]
        return waits[0] if waits else None

    return await until(there)


async def due_now(owner: Database) -> None:
    """As if every wait were over."""
    async with owner.transaction() as tx:
        await tx.execute("update job set run_at = godwit_now() where state = 'ready'")


async def whole(web: Database, delivery_id: UUID) -> webhooks.WholeDelivery:
    """The delivery with its attempts."""
    async with web.transaction(7) as tx:
        found = await webhooks.delivery(tx, delivery_id)
    assert found is not None
    return found
