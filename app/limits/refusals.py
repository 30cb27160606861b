"""Refusing what is tried too often, in a sentence."""

from app.base import tokens
from app.base.database import Tx
from app.base.errors import TooMany
from app.base.settings import settings
from app.limits.buckets import allow


async def refuse_over(tx: Tx, name: str, times: int, seconds: int, span: str) -> None:
    """Take one from a bucket that fills by `times` in `seconds` ("hour", "day"). Raises TooMany."""
    if settings().limits_off:
        return
    wait = await allow(tx, name, times / seconds, times)
    if wait:
        raise TooMany(
            f"That was tried too often: {times} times {'an' if span == 'hour' else 'a'} {span} is the most."
            " Nothing is locked; wait, and try again later.",
            retry_after=int(wait) + 1,
        )


def hashed_name(text: str) -> str:
    """What a bucket is named by: addresses stay out of the table."""
    return tokens.keyed_hash("limit", text).hex()[:32]
