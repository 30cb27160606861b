"""A floor of time under answers that must tell nothing by how long they took."""

import asyncio
import time


async def until(moment: float) -> None:
    """Wait until a moment of the monotonic clock."""
    await asyncio.sleep(max(0.0, moment - time.monotonic()))
