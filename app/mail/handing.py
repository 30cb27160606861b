"""The one way to call a provider: whatever becomes of it is an outcome."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from app.base.database import in_words
from app.base.telemetry import log
from app.mail.message import Mail
from app.mail.outcome import Outcome, Unknown, anonymous
from app.mail.provider import Provider


async def hand_over(
    provider: Provider,
    mails: Sequence[Mail],
    *,
    batch_id: UUID,
    call_until: datetime,
    until: float,
    deadline: float | None = None,
) -> Outcome:
    """See `Provider.deliver`; its words name none of the addresses. Never raises.

    Cut off at `until` (the running loop's clock). A call that was cut off, or from which an exception
    escapes, is Unknown: bytes may have left (L4).
    """
    try:
        async with asyncio.timeout_at(until):
            said = await provider.deliver(mails, batch_id=batch_id, call_until=call_until, deadline=deadline)
        return anonymous(said, [mail.to for mail in mails])
    except TimeoutError:
        return Unknown("no answer within the time a call may take")
    except Exception as error:  # ours or the driver's: nobody knows how far the call had come
        log.warning("provider_raised", provider=provider.name, exc_info=True)
        return anonymous(Unknown(f"the call broke off: {in_words(error)}"), [mail.to for mail in mails])
