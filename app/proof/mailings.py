"""How long a small mailing takes beside a large one (L9)."""

import time
from uuid import UUID

from app.answers import plural
from app.base.database import Database
from app.proof.figures import Figure, Scale
from app.proof.publications import mail_all, mailing_of, publication
from app.proof.waiting import seconds_until

#: Copies a second over the platform.
RATE = 200
_TARGET = 10.0


async def small_beside_large(scale: Scale) -> Figure:
    """From the press to the last copy settled, for small accounts in turn while a large one is under way."""
    web = Database.for_role("web")
    try:
        large = await publication(web, "large", scale.large)
        small = [await publication(web, f"small{n}", scale.small) for n in range(scale.mailings)]
        pressed = await mail_all(web, large, "To all of the large one")
        await _under_way(web, large, pressed, min(2 * RATE, scale.large // 4))
        seconds = tuple([await _mailed(web, account) for account in small])
        behind = await mailing_of(web, large, pressed)
    finally:
        await web.close()
    return Figure(
        what=f"{plural(scale.small, 'reader')} all mailed, beside {scale.large:,} at {RATE} a second",
        seconds=seconds,
        target=_TARGET,
        meanwhile=f"{behind.figures.sent:,} of the {scale.large:,} were sent when the last small one was",
    )


async def _under_way(web: Database, account_id: int, broadcast_id: UUID, copies: int) -> None:
    async def sent() -> bool:
        return (await mailing_of(web, account_id, broadcast_id)).figures.sent >= copies

    await seconds_until(sent, "the large mailing's first copies")


async def _mailed(web: Database, account_id: int) -> float:
    began = time.monotonic()
    pressed = await mail_all(web, account_id, "To the few")

    async def done() -> bool:
        return (await mailing_of(web, account_id, pressed)).state == "finished"

    return await seconds_until(done, "the small mailing's end", since=began)
