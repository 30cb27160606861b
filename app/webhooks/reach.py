"""What a webhook's address may be, in this process: the web's check and the worker's call ask the same."""

from urllib.parse import urlsplit

from app.base.database import Database
from app.base.rehearsal import receivers
from app.base.settings import settings
from app.egress import Policy


async def policy(database: Database) -> Policy:
    """What GODWIT_EGRESS_ALLOW allows and, in testing mode, exactly the receivers that testers made; never
    the studio and the sites, so that no webhook presses our own buttons.

    No transaction may be open: it may ask the database. Raises Unavailable.
    """
    return Policy.of_settings().beside(Policy(allow_hosts=await receivers(database), own=_own()))


def _own() -> frozenset[tuple[str, int]]:
    base, sites = urlsplit(settings().base_url), settings().site_domain
    port = base.port or (443 if base.scheme == "https" else 80)
    return frozenset({(base.hostname or "", port), (sites, port), (f".{sites}", port)})
