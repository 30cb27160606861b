"""What a webhook's address may be, in this process: the web's check and the worker's call ask the same."""

from app.base.database import Database
from app.base.rehearsal import receivers
from app.egress import Policy


async def policy(database: Database) -> Policy:
    """What GODWIT_EGRESS_ALLOW allows and, in testing mode, exactly the receivers that testers made.

    No transaction may be open: it may ask the database. Raises Unavailable.
    """
    return Policy.of_settings().beside(Policy(allow_hosts=await receivers(database)))
