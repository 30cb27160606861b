"""What a team does with automatic emails."""

from typing import Any

from litestar import Request, Response, post

from app.answers import Flash, answer, form_of
from app.base.errors import Conflict
from app.messages.asking import ask_provider
from app.messages.entrance import Desk
from app.messages.pages import known_id
from app.messages.retrying import retry_message


@post("/messages/probe")
async def ask_now(request: Request, desk: Desk) -> Response[Any]:
    """Have the provider asked that refuses us, and go back to the list or to one message."""
    form = await form_of(request)
    given = form.text("message")
    known = given.isascii() and given.isdigit() and len(given) < 19
    flash = await ask_provider(desk.transaction)
    return answer(request, to=desk.url(f"messages/{given}" if known else "messages"), flash=flash)


@post("/messages/{message_id:int}/retry")
async def try_again(request: Request, desk: Desk, message_id: int) -> Response[Any]:
    """Try one again that gave up, or that nobody can tell about; any other is told its state."""
    to = desk.url(f"messages/{known_id(message_id)}")
    try:
        async with desk.transaction() as tx:
            line = await retry_message(tx, message_id)
    except Conflict as error:
        return answer(request, to=to, flash=Flash("warn", error.detail))
    words = "It goes when mail is let go." if line.state == "held" else "It is tried again now."
    return answer(request, to=to, flash=Flash("ok", words))


HANDLERS: tuple[Any, ...] = (ask_now, try_again)
