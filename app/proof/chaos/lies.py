"""Lies in a log, planted by hand: by what a run finds then, the checks show that they can fail."""

import asyncio
import base64
import os

import msgspec

from app.base.database import Database
from app.proof.chaos.house import House
from app.proof.chaos.receiver import heard

_DOUBLE = """
insert into mailbox.mail
    (delivery_id, batch_id, account_id, kind, to_address, sender, subject, text, html, headers, raw)
select delivery_id, batch_id, account_id, kind, to_address, sender, subject, text, html, headers, raw || ' '
from mailbox.mail where kind = 'broadcast' order by id limit 1
"""


def plant_mail(house: House) -> None:
    """The provider's log has one mail twice."""
    asyncio.run(_double(house.owner_url()))


def plant_call(house: House) -> None:
    """The receiver's log has a call that nobody made."""
    first = heard(house.calls)[0]
    body = base64.b64encode(first.octets + b" ").decode()
    line = msgspec.json.encode(msgspec.structs.replace(first, body=body)) + b"\n"
    log = os.open(house.calls, os.O_WRONLY | os.O_APPEND)
    os.write(log, line)
    os.close(log)


async def _double(owner_url: str) -> None:
    owner = Database(owner_url, "postgres", 1, pooled=False)
    try:
        async with owner.transaction() as tx:
            await tx.execute(_DOUBLE)
    finally:
        await owner.close()
