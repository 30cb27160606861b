"""Secrets: made, hashed and signed with the installation's keys (GODWIT_SECRET_KEYS).

Codes and tokens are stored as keyed hashes only. Links that must work for years
(unsubscribe) are signed, not stored: they name their rows and carry a MAC, and each
key in the list is accepted, the newest signs.
"""

import base64
import hmac
import secrets
import struct
from hashlib import sha256
from uuid import UUID

from app.base.settings import settings

MAC_BYTES = 16


def new_secret(nbytes: int = 32) -> str:
    """A random secret of `nbytes` bytes, in URL-safe letters."""
    return secrets.token_urlsafe(nbytes)


def new_code() -> str:
    """Six random digits."""
    return f"{secrets.randbelow(1_000_000):06d}"


def keyed_hash(purpose: str, text: str) -> bytes:
    """What is stored instead of a secret: HMAC-SHA-256 under the newest key."""
    return _mac(settings().secret_keys[0], purpose, text.encode())


def keyed_hashes(purpose: str, text: str) -> list[bytes]:
    """The hash under each key, newest first: what to look for while keys are being changed."""
    return [_mac(key, purpose, text.encode()) for key in settings().secret_keys]


def sign(purpose: str, *parts: UUID | int) -> str:
    """A URL-safe token that names `parts` and cannot be made without a key."""
    body = b"".join(_packed(part) for part in parts)
    return _b64(body + _mac(settings().secret_keys[0], purpose, body)[:MAC_BYTES])


def verify(purpose: str, token: str) -> tuple[UUID | int, ...] | None:
    """The parts that `sign` put into the token, or None when it was not made here."""
    try:
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except ValueError:
        return None
    body, mac = raw[:-MAC_BYTES], raw[-MAC_BYTES:]
    # A second spelling of the same bytes is no token of ours: links stay comparable.
    if _b64(raw) != token or not any(
        hmac.compare_digest(_mac(key, purpose, body)[:MAC_BYTES], mac) for key in settings().secret_keys
    ):
        return None
    return _unpacked(body)


def _mac(key: bytes, purpose: str, body: bytes) -> bytes:
    return hmac.digest(key, purpose.encode() + b"\0" + body, sha256)


def _b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _packed(part: UUID | int) -> bytes:
    return b"u" + part.bytes if isinstance(part, UUID) else b"i" + struct.pack(">q", part)


def _unpacked(body: bytes) -> tuple[UUID | int, ...] | None:
    parts: list[UUID | int] = []
    while body:
        if body[:1] == b"u" and len(body) >= 17:
            parts.append(UUID(bytes=body[1:17]))
            body = body[17:]
        elif body[:1] == b"i" and len(body) >= 9:
            parts.append(struct.unpack(">q", body[1:9])[0])
            body = body[9:]
        else:
            return None
    return tuple(parts)
