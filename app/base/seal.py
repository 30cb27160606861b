"""Sealing: what must be kept and read again (a webhook's secret), unreadable without the installation's keys.

A sealed text is `1 byte form | 8 bytes key id | 12 bytes nonce | AES-256-GCM ciphertext and tag`. It is
sealed under the newest of GODWIT_SECRET_KEYS and opens under each of them, so keys are changed by putting a
new one first, sealing again what lies under the old (`godwit doctor --reseal`), and leaving the old one out.
The sealing key is derived (HKDF, RFC 5869), since the same secret also signs and hashes (tokens). The form,
the key id, the `purpose` and `bound_to` (which row it belongs to) are authenticated (the additional data of
NIST SP 800-38D): a sealed text that is moved to another row or column does not open.

Nonces are random, 96 bits: NIST SP 800-38D 8.3 allows 2³² sealings a key, far above what a house makes.
"""

import os
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from app.base.settings import settings

FORM = b"\x01"
#: Where the key id stands in a sealed text, also for SQL: `substring(sealed from 2 for 8)`.
KEY_ID = slice(1, 9)
NONCE = slice(9, 21)
_TAG_BYTES = 16


class Unsealable(Exception):
    """The text was sealed under a key that is not here any more, for another row, or was changed."""


def seal(purpose: str, plain: bytes, *, bound_to: str) -> bytes:
    """`plain` sealed under the newest key for one purpose and one row.

    `purpose` is a word of ours ("webhook"); `bound_to` names the row ("account/endpoint/secret").
    """
    key = settings().secret_keys[0]
    head, nonce = FORM + _id(key), os.urandom(NONCE.stop - NONCE.start)
    return head + nonce + _cipher(key).encrypt(nonce, plain, _bound(head, purpose, bound_to))


def unseal(purpose: str, sealed: bytes, *, bound_to: str) -> bytes:
    """What `seal` was given, under whichever of our keys. Raises Unsealable."""
    if sealed[:1] != FORM or len(sealed) < NONCE.stop + _TAG_BYTES:
        raise Unsealable("This was not sealed here.")
    head = sealed[: KEY_ID.stop]
    for key in settings().secret_keys:
        if _id(key) == sealed[KEY_ID]:
            break
    else:
        raise Unsealable(
            "It was sealed under a key that GODWIT_SECRET_KEYS lacks. Put it back, after the newest."
        )
    try:
        return _cipher(key).decrypt(sealed[NONCE], sealed[NONCE.stop :], _bound(head, purpose, bound_to))
    except InvalidTag:
        raise Unsealable("This was sealed for something else, or was changed since.") from None


def key_id_of(sealed: bytes) -> str:
    """The id, in hexadecimal, of the key that it was sealed under."""
    return sealed[KEY_ID].hex()


def current_key_id() -> str:
    """The id of the newest key: what is sealed now has it."""
    return _id(settings().secret_keys[0]).hex()


def known_key_ids() -> tuple[str, ...]:
    """The ids of all keys there are, newest first: what is sealed under another cannot be opened."""
    return tuple(_id(key).hex() for key in settings().secret_keys)


def _bound(head: bytes, purpose: str, bound_to: str) -> bytes:
    # A purpose has no zero byte in it, so no two pairs make the same bytes.
    assert "\0" not in purpose
    return head + purpose.encode() + b"\0" + bound_to.encode()


@lru_cache(maxsize=16)
def _id(key: bytes) -> bytes:
    return _derived(key, b"godwit seal key id", KEY_ID.stop - KEY_ID.start)


@lru_cache(maxsize=16)
def _cipher(key: bytes) -> AESGCM:
    return AESGCM(_derived(key, b"godwit seal", 32))


def _derived(key: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=info).derive(key)
