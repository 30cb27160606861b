"""What is asked for about accounts in testing mode: made, signed in to, emptied, filled."""

from typing import Any

from litestar import Request, Response, post

from app.testing import accounts
from app.testing.questions import account_asked, body_of, database_of, refuse_others
from app.testing.seeds import OPTIONS, recipe_of


@post("/accounts", status_code=201)
async def make_account(request: Request) -> dict[str, Any]:
    """An account, its creator signed in, and a key; the same seed gives the same names and ids."""
    refuse_others(request.query_params, ())
    given = await body_of(request, OPTIONS)
    return await accounts.make_account(database_of(request), request.app.state.receivers, given)


@post("/sign-in", status_code=200)
async def sign_in(request: Request) -> Response[Any]:
    """A session without the mail."""
    refuse_others(request.query_params, ("account",))
    given = await body_of(request, ("email", "host"))
    cookie, told = await accounts.sign_in(database_of(request), given)
    return Response(told, status_code=200, cookies=[cookie])


@post("/reset", status_code=200)
async def reset(request: Request) -> dict[str, Any]:
    """Forget what an account holds, or, without one named, what all of them hold."""
    refuse_others(request.query_params, ("account",))
    await body_of(request, ())
    slug = request.query_params.get("account")
    database = database_of(request)
    async with database.transaction() as tx:
        account_id = await account_asked(tx, slug)
    await accounts.reset(database, account_id)
    return {"reset": slug or "all"}


@post("/seed", status_code=200)
async def seed(request: Request) -> dict[str, Any]:
    """Let an account hold exactly what is asked for."""
    refuse_others(request.query_params, ("account",))
    recipe = recipe_of(await body_of(request, OPTIONS), 1)
    database = database_of(request)
    async with database.transaction() as tx:
        named = await account_asked(tx, request.query_params.get("account"))
        account_id = await accounts.the_account(tx, named)
    await accounts.reset(database, account_id)
    slug = await accounts.refill(database, request.app.state.receivers, account_id, recipe)
    return {"slug": slug} | vars(recipe)


HANDLERS: tuple[Any, ...] = (make_account, sign_in, reset, seed)
