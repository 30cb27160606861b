"""What a receiver of webhooks checks, written down once more for the fakes: Standard Webhooks 1.0.

Nothing here is shared with the side that signs, so that both being wrong alike is unlikely.
"""

import base64
import binascii
import hmac
from collections.abc import Mapping, Sequence
from hashlib import sha256

#: Seconds that a call may be old, or ahead of us, as the reference libraries have it.
TOLERANCE = 300


def why_unverified(secrets: Sequence[str], headers: Mapping[str, str], body: bytes, now: float) -> str:
    """'' when one of these secrets (`whsec_…`) signed exactly this, else what is wrong, for people.

    `headers` by names in lower case; `now` in seconds since 1970.
    """
    named = [headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature")]
    if not all(named):
        return "a webhook- header is missing"
    message_id, timestamp, signatures = named
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 15):
        return "webhook-timestamp is no time"
    if abs(now - int(timestamp)) > TOLERANCE:
        return f"it was signed {_apart(int(timestamp) - now)}"
    given = [one.removeprefix("v1,") for one in signatures.split() if one.startswith("v1,")]
    signed = f"{message_id}.{timestamp}.".encode() + body
    for secret in secrets:
        wanted = base64.b64encode(hmac.digest(key_of(secret), signed, sha256)).decode()
        if any(hmac.compare_digest(wanted.encode(), one.encode()) for one in given):
            return ""
    return "no signature fits"


def key_of(secret: str) -> bytes:
    """The key that a secret shows. Raises ValueError when it is none."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("this is no secret of a webhook; it begins with whsec_") from error
    if not key:
        raise ValueError("this is no secret of a webhook; it begins with whsec_")
    return key


def _apart(seconds: float) -> str:
    minutes = max(1, round(abs(seconds) / 60))
    return f"{minutes:,} minutes {'ahead of now' if seconds > 0 else 'ago'}"
