"""Media: pictures under the hash of their bytes, in the folder of GODWIT_MEDIA_URL.

The name says what is in the file, so it never changes and caches may keep it for ever; the same picture
brought twice is there once. The file is written before the row that tells of it: a crash in between leaves a
file that nobody knows, never a row without its picture.
"""

import asyncio
import os
import re
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import UUID

from app.base.database import Tx
from app.base.fields import one_line
from app.base.settings import settings
from app.base.statements import sql
from app.posts.pictures import ENDINGS, read_picture

MAX_NAME = 255
_FILE = re.compile(r"([0-9a-f]{64})\.(jpg|png|gif|webp)")
_KINDS = {ending: kind for kind, ending in ENDINGS.items()}


@dataclass(frozen=True)
class Media:
    """A stored picture: its SHA-256, media type, size in pixels, and its address on every host."""

    hash: str
    kind: str
    width: int
    height: int
    url: str


@dataclass(frozen=True)
class MediaFile:
    """What a browser gets."""

    data: bytes
    kind: str


@dataclass(frozen=True)
class StoredImage:
    """A picture whose file is kept and whose row is not written yet. `size` in octets."""

    media: Media
    name: str
    size: int


async def write_image(data: bytes, name: str) -> StoredImage:
    """Make `data` fit to be shown and write its file. Raises as `picture_of`.

    It takes a second, for which no transaction should wait: `note_image` then writes the row within one.
    """
    picture = await read_picture(data)
    digest = sha256(picture.data).hexdigest()
    file_name = f"{digest}.{ENDINGS[picture.kind]}"
    await asyncio.to_thread(_write, file_name, picture.data)
    media = Media(digest, picture.kind, picture.width, picture.height, f"/media/{file_name}")
    words = one_line(name.replace("\\", "/").rpartition("/")[2])[:MAX_NAME]
    return StoredImage(media, words, len(picture.data))


async def note_image(tx: Tx, stored: StoredImage, by: UUID | None = None) -> Media:
    """Write the row that tells of a file; the same picture again is the same Media."""
    media = stored.media
    await tx.execute(
        sql(__package__, "keep_media"),
        account=tx.account_id,
        hash=media.hash,
        kind=media.kind,
        name=stored.name,
        width=media.width,
        height=media.height,
        size=stored.size,
        by=by,
    )
    return media


async def write_media(name: str, data: bytes) -> None:
    """Keep a file that an export held, under its name. Raises ValueError when it is not what that says."""
    known = _FILE.fullmatch(name)
    if known is None or known[1] != sha256(data).hexdigest():
        raise ValueError(f"{name[:80]} is not the picture that its name says")
    await asyncio.to_thread(_write, name, data)


async def media_file(name: str) -> MediaFile | None:
    """The file of that name, None when there is none. No account is asked: who knows the hash has seen it."""
    known = _FILE.fullmatch(name)
    if known is None:
        return None
    try:
        data = await asyncio.to_thread(_path(name).read_bytes)
    except FileNotFoundError:
        return None
    return MediaFile(data, _KINDS[known[2]])


def _path(name: str) -> Path:
    return settings().media / name[:2] / name


def _write(name: str, data: bytes) -> None:
    path = _path(name)
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Under a name of its own first: nobody is ever answered half a picture.
    handle, half = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(half, 0o644)
        os.replace(half, path)
    except BaseException:
        os.unlink(half)
        raise
