"""Accounts 7 and 8 with a row in every account table."""

import pytest

from app.base.database import Database
from tests.tenancy.catalogue import fill


@pytest.fixture
async def two_accounts(owner: Database) -> tuple[int, int]:
    """Both filled; nothing of either is in the other."""
    for account in (7, 8):
        await fill(owner, account)
    return 7, 8
