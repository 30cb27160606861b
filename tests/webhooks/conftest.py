"""Account 7, loopback allowed for calls, a quick sweep, and a receiver that answers as it is told."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from app import egress
from app.base.database import Database
from app.base.settings import Settings, settings
from app.fakes import FakeReceiver, Script, SelfMade, self_made
from app.webhooks import jobs
from tests.broadcasts.makers import Studio, a_studio
from tests.web_server import serving
from tests.webhooks.doors import Door, a_door
from workers import catalog

assert jobs.deliver_webhook  # its handlers are known from here on


@dataclass
class Receiver:
    """A real server on loopback; `script` says what it answers and keeps what came."""

    url: str
    script: Script


@pytest.fixture
def settings_env(settings_env: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Loopback may be called, and workers look for work ten times a second."""
    monkeypatch.setenv("GODWIT_EGRESS_ALLOW", "127.0.0.1/32")
    monkeypatch.setenv("GODWIT_SWEEP", "0.1")
    settings.cache_clear()
    return settings()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """Answers 200 until its script says otherwise."""
    script = Script()
    server = FakeReceiver(script)
    await server.start()
    yield Receiver(f"{server.url}/hook", script)
    await server.stop()
    await egress.client().close()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> SelfMade:
    """Of 127.0.0.1; nobody else vouches for it."""
    return self_made(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
async def door(
    settings_env: Settings, certificate: SelfMade, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Door]:
    """A receiver whose handshake begins once the test has done what it wants to do meanwhile."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.certificate))
    async with a_door(certificate.for_server()) as made:
        yield made
        await egress.client().close()


@pytest.fixture
async def studio(web: Database, worker: Database) -> AsyncIterator[Studio]:
    """Ana's studio, with no reader."""
    catalog.load()
    async with serving() as url, a_studio(url, web, worker, readers=0) as made:
        yield made
