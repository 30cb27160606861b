"""A person tries a message again."""

from app.base.database import Tx
from app.base.errors import Conflict
from app.messages.outgoing import MessageLine, are_held, are_stopped, message

_WORDS = {
    "pending": "it waits for its first try",
    "in_progress": "it is being handed over right now",
    "retrying": "it is tried again by itself",
    "sent": "it was sent",
    "held": "mail was started again; it goes when it is let go",
    "discarded": "it was discarded",
}


async def retry_message(tx: Tx, message_id: int) -> MessageLine:
    """One that gave up, or that nobody can tell about, is ready again, its tries counted from none.

    Same bytes, same Message-ID. Raises NotFound, and Conflict naming the state it is in.
    """
    holding = await are_held(tx)
    before = await message(tx, message_id, holding=holding)
    retried = before.may_retry and await tx.value("select retry_message(:id)", id=message_id)
    line = await message(tx, message_id, holding=holding)
    if retried:
        return line
    words = _WORDS.get(line.state, "it is on its way already")
    if line.state == "held" and await are_stopped(tx):
        words = "mail is stopped; it goes when mail is started again and let go"
    raise Conflict(f"This message is {line.state}: {words}.")
