"""A served studio with an API key, a provider told what to answer, and the queue of messages."""

from collections.abc import AsyncIterator

import pytest

from app import mail
from app.base.database import Database
from app.jobs.runner import QueueLoop
from app.mail import refusals
from tests.broadcasts.makers import Studio, a_studio
from tests.messages.makers import Provider, a_loop
from tests.web_server import serving
from workers import catalog


@pytest.fixture
async def studio(web: Database, worker: Database) -> AsyncIterator[Studio]:
    """Ana's studio, with no reader."""
    catalog.load()
    async with serving() as url, a_studio(url, web, worker, readers=0) as made:
        yield made


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Provider:
    """Takes everything, unless it is told otherwise."""
    made = Provider(mail.Accepted())
    for where in (mail, refusals):
        monkeypatch.setattr(where, "current_provider", lambda: made)
    return made


@pytest.fixture
def messages(worker: Database) -> QueueLoop:
    """The queue of messages, claimed by hand."""
    return a_loop(worker)
