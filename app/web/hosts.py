"""Which part of Godwit a host name means."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from app.answers.csrf import LOOPBACK
from app.base.settings import Settings


@dataclass(frozen=True)
class Place:
    """The studio, a site (with the name before the site domain), or nowhere."""

    part: Literal["studio", "site", "nowhere"]
    slug: str = ""


def place_of(host: str, told: Settings) -> Place:
    """What a Host header means; its port does not matter, since proxies listen where they like."""
    name = _name(host)
    if name == (urlsplit(told.base_url).hostname or "").lower():
        return Place("studio")
    if told.mode != "production" and name in LOOPBACK:
        return Place("studio")
    endings = {told.site_domain.lower()} | ({"localhost"} if told.mode == "testing" else set())
    for ending in endings:
        slug, dot, rest = name.partition(".")
        if dot and rest == ending and slug:
            return Place("site", slug)
    return Place("nowhere")


def _name(host: str) -> str:
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")
