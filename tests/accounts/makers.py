"""Accounts and signed-in browsers."""

import httpx

from app.accounts import Account, create_account, create_api_key, issue_code
from app.base import ids
from app.base.database import Database, Tx


async def open_account(web: Database, email: str, slug: str) -> Account:
    """An account and its owner."""
    async with web.transaction() as tx:
        return await create_account(tx, email=email, name=slug.title(), slug=slug)


async def sign_in(client: httpx.AsyncClient, web: Database, email: str) -> httpx.Response:
    """By a code that was read out, not mailed."""
    async with web.transaction() as tx:
        issued = await issue_code(tx, email)
    assert issued is not None
    return await client.post("/sign-in/code", data={"email": email, "code": issued.code})


async def api_key(web: Database, slug: str) -> dict[str, str]:
    """The headers of a program with a new key."""
    async with web.transaction() as tx:
        return {"Authorization": f"Bearer {await create_api_key(tx, slug=slug, name='a test')}"}


async def become(tx: Tx, role: str) -> None:
    """As the database's owner: everybody has this role now, a stand-in is the owner there must be."""
    stand_in = ids.new()
    await tx.execute(
        "insert into creator (id, email, name) values (:id, :email, 'Stand-in')",
        id=stand_in,
        email=f"stand-in-{stand_in.hex}@example.com",
    )
    await tx.execute(
        "insert into membership (account_id, creator_id, role)"
        " select distinct account_id, cast(:id as uuid), 'owner' from membership",
        id=stand_in,
    )
    await tx.execute("update membership set role = :role where creator_id <> :id", role=role, id=stand_in)
