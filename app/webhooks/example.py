"""A delivery that fits together, for the page for receivers: whoever writes a verifier can try it offline."""

import base64
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from app.webhooks import secrets

_AT = datetime(2026, 11, 30, 14, 43, 19, 204000, tzinfo=UTC)
_KEY = b"printed in public: never use it!"
_BODY = msgspec.json.encode(
    {
        "type": "release.published",
        "timestamp": "2026-11-30T14:43:19.204Z",
        "account": "tidelines",
        "sequence": 41,
        "data": {
            "release": 12,
            "url": "https://tidelines.example/",
            "changes": [
                {"post": "0198c0de-2f4c-7e21-9d0a-6b1f3a5c7e90", "slug": "the-bird", "action": "updated"}
            ],
        },
    }
)


@dataclass(frozen=True)
class Example:
    """One delivery, and the secret that signed it."""

    secret: str
    id: str
    timestamp: int
    signature: str
    sequence: int
    body: str


def example() -> Example:
    """A release that changed a post, sent a second after it was published."""
    name, sent_at = "evt_0198c0de2f4c7e219d0a6b1f3a5c7e90", int(_AT.timestamp()) + 1
    return Example(
        secret=f"{secrets.PREFIX}{base64.b64encode(_KEY).decode()}",
        id=name,
        timestamp=sent_at,
        signature=secrets.signature([_KEY], name, sent_at, _BODY),
        sequence=41,
        body=_BODY.decode(),
    )
