"""Which addresses within a site lead somewhere: posts, pages, tags, pictures, old addresses."""

import unicodedata
from collections.abc import Iterable

from app.base.database import Tx
from app.base.statements import sql
from app.posts.pictures import ENDINGS
from app.posts.reading import live_tags
from app.posts.slugs import slug_of

_TAG, _MEDIA = "/tag/", "/media/"


async def standing(tx: Tx, paths: Iterable[str]) -> frozenset[str]:
    """Those of `paths` (decoded, `/` first) at which the site has something, or leads on from."""
    asked = {path: _plain(path) for path in paths}
    if not asked:
        return frozenset()
    plain = set(asked.values())
    rows = await tx.rows(
        sql(__package__, "standing"),
        account=tx.account_id,
        slugs=[path[1:] for path in plain],
        paths=list(plain),
        hashes=[path[len(_MEDIA) :].partition(".")[0] for path in plain if path.startswith(_MEDIA)],
    )
    there = {
        f"{_MEDIA}{row.address}.{ENDINGS[row.kind]}" if row.kind else "/" + row.address.lstrip("/")
        for row in rows
    }
    if any(path.startswith(_TAG) for path in plain):
        there |= {_TAG + slug_of(tag.name) for tag in await live_tags(tx)} - {_TAG}
    return frozenset(path for path, bare in asked.items() if _as_a_tag(bare) in there)


def _plain(path: str) -> str:
    """As the database knows it: composed, no slash at the end, nothing that no text there can hold."""
    return "/" + unicodedata.normalize("NFC", path.strip("/")).replace("\0", "?")


def _as_a_tag(path: str) -> str:
    """Tags that differ in capitals or marks only are one."""
    return _TAG + slug_of(path[len(_TAG) :]) if path.startswith(_TAG) else path
