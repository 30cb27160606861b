"""Slugs: the last part of a post's address, in whatever script the title is written.

Letters, their marks and digits stay as they are (an address bar shows `/алеф` and `/हिन्दी`); transliteration
was not chosen, because it leaves nothing of an alef and turns an ain into a backtick. Everything else
separates words. Where a slug is put into an address it is percent-encoded (`path_of`).
"""

import unicodedata
from urllib.parse import quote
from uuid import UUID

MAX_SLUG = 180
"""Characters; the column takes 191, which leaves room for `-2`."""

# fmt: off
RESERVED = frozenset({
    "api", "archive", "confirm", "console", "feed", "healthz", "hooks", "mail", "mailbox", "me", "media",
    "metrics", "readyz", "robots", "sign-in", "sign-out", "sitemap", "static", "studio", "subscribe", "tag",
    "testing", "unsubscribe",
})
# fmt: on
"""First parts of addresses that a site keeps for itself."""

_DROPPED = "'’‘ʼ`´"
_JOINER = "\u200c"


def slug_of(text: str) -> str:
    """`text` as a slug of at most MAX_SLUG characters; '' when no letter or digit is in it."""
    spelt = "".join(_spelt(char) for char in unicodedata.normalize("NFKC", text).lower())
    words = [word for word in spelt.split() if any(char.isalnum() for char in word)]
    return _cut(unicodedata.normalize("NFC", "-".join(words)))


def fallback_slug(post_id: UUID) -> str:
    """The slug of a post whose title has no letter: `post-` and the end of its id."""
    return f"post-{post_id.hex[-8:]}"


def numbered(slug: str, number: int) -> str:
    """The slug of the `number`-th post that wants it: `slug`, then `slug-2`, `slug-3`."""
    return slug if number == 1 else f"{slug}-{number}"


def path_of(slug: str) -> str:
    """Where the post stands on its site, fit for an href."""
    return "/" + quote(slug, safe="-")


def _spelt(char: str) -> str:
    category = unicodedata.category(char)
    if char in _DROPPED or 0xFE00 <= ord(char) <= 0xFE0F or (category == "Cf" and char != _JOINER):
        return ""
    return char if category[0] in "LM" or category == "Nd" else " "


def _cut(slug: str) -> str:
    if len(slug) <= MAX_SLUG:
        return slug
    head = slug[:MAX_SLUG]
    return head[: head.rfind("-")] if "-" in head else head
