"""Whose address a webhook may have: never our own (W3)."""

import pytest

from app.base.database import Database
from app.base.errors import Invalid
from app.base.settings import settings
from app.egress import target_of
from app.webhooks.reach import policy
from app.webhooks.vetting import vet


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GODWIT_BASE_URL", "https://studio.example.com")
    monkeypatch.setenv("GODWIT_SITE_DOMAIN", "sites.example.net")
    settings.cache_clear()


@pytest.mark.parametrize(
    "url",
    [
        "https://studio.example.com/api/v1/readers",
        "https://STUDIO.example.com:443/x",
        "https://sites.example.net/",
        "https://tidelines.sites.example.net/unsubscribe/token",
    ],
)
async def test_the_studio_and_the_sites_are_no_webhooks(web: Database, public: None, url: str) -> None:
    with pytest.raises(Invalid, match="Godwit's own"):
        await vet(url, await policy(web))


@pytest.mark.parametrize(
    "url",
    [
        "https://studio.example.com:8443/hook",
        "https://studio.example.com.example.org/",
        "https://oursites.example.net/",
    ],
)
async def test_what_stands_beside_them_is_judged_like_any_other(
    web: Database, public: None, url: str
) -> None:
    (await policy(web)).check(target_of(url))
