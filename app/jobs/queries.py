"""What is asked about jobs."""

from app.base.database import Tx


async def overdue_seconds(tx: Tx) -> float:
    """For how long the oldest due job of any account has been waiting; 0 when none is due."""
    return await tx.value("select overdue_seconds()")
