"""Accounts and signed-in browsers."""

import httpx

from app.accounts import Account, create_account, create_api_key, issue_code
from app.base.database import Database


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
