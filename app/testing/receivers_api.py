"""What is asked for about receivers of webhooks in testing mode: made, and what came to them."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from litestar import Request, get, post

from app.answers import iso
from app.base.database import Database
from app.base.errors import Invalid, NotFound, Problem
from app.testing.accounts import the_account
from app.testing.questions import account_asked, body_of, database_of, number, refuse_others
from app.testing.receivers import Receivers, add_receiver

MOST_ANSWERS = 1000
MOST, USUAL = 10_000, 100
_THERE = """
select exists (select from mailbox.receiver
               where id = :id and (cast(:account as bigint) is null or account_id = :account))
"""
_REQUESTS = """
select at, headers, body, verified, answered, fault from mailbox.request
where receiver_id = :id order by id desc limit :most
"""


@post("/receivers", status_code=201)
async def make_receiver(request: Request) -> dict[str, Any]:
    """A receiver of webhooks, whose address an endpoint may have."""
    refuse_others(request.query_params, ("account",))
    given = await body_of(request, ("answers", "delay"))
    answers, delay = _answers(given), number(given, "delay", 0, least=0, most=600)
    database = database_of(request)
    receivers: Receivers = request.app.state.receivers
    port = await receivers.port()
    async with database.transaction() as tx:
        account_id = await the_account(tx, await account_asked(tx, request.query_params.get("account")))
        return await add_receiver(tx, account_id, port, answers=answers, delay=delay or 0.0)


@get("/receivers/{receiver_id:str}/requests")
async def read_requests(request: Request, receiver_id: str) -> dict[str, Any]:
    """What came, newest first."""
    asked = request.query_params
    refuse_others(asked, ("account", "limit"))
    most = int(number(asked, "limit", USUAL, least=1, most=MOST, whole=True) or USUAL)
    database: Database = database_of(request)
    async with database.transaction() as tx:
        account_id = await account_asked(tx, asked.get("account"))
        if not await tx.value(_THERE, id=receiver_id, account=account_id):
            raise NotFound(f"There is no receiver {receiver_id[:80]!r}.")
        rows = await tx.rows(_REQUESTS, id=receiver_id, most=most)
    return {"items": [_request_json(row) for row in rows]}


def _answers(given: Mapping[str, Any]) -> list[int]:
    """The statuses to answer, in order. Raises Invalid."""
    told = given.get("answers")
    told = [200] if told is None else told
    whole = isinstance(told, list) and all(
        isinstance(one, int) and not isinstance(one, bool) and 200 <= one <= 599 for one in told
    )
    if not whole or not 0 < len(told) <= MOST_ANSWERS:
        words = f"These are statuses from 200 to 599 in their order, 1 to {MOST_ANSWERS:,}; the last stays."
        raise Invalid([Problem("answers", words)])
    return told


def _request_json(row: Any) -> dict[str, Any]:
    return {
        "at": iso(row.at),
        "headers": [{"name": name, "value": value} for name, value in row.headers],
        "body_base64": b64encode(row.body).decode(),
        "verified": row.verified,
        "answered": row.answered,
        "fault": row.fault,
    }


HANDLERS: tuple[Any, ...] = (make_receiver, read_requests)
