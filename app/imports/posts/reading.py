"""Which product's posts a file holds, and the posts in it."""

import io
import zipfile

import msgspec

from app.imports.posts import ghost, substack
from app.imports.posts.foreign import ForeignFile
from app.imports.uploads import UploadError

MOST_POSTS = 20_000
MOST_OCTETS = 1024**3
MOST_FILES = 100_000
_PIECE = 1024 * 1024
_PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif")
_NONE = (
    "This file holds no posts that Godwit can read. It takes Ghost's export (JSON, or a zip with it and"
    " content/images) and Substack's (zip)."
)


def open_posts(data: bytes) -> ForeignFile:
    """The posts in it. Raises UploadError, which says what the file is not."""
    found = _zipped(data) if data[:4] == b"PK\x03\x04" else _ghost(data, {})
    if not found.posts:
        raise UploadError("There are no posts in this file. Export it again.")
    if len(found.posts) > MOST_POSTS:
        raise UploadError(f"There are {len(found.posts):,} posts in it; at most {MOST_POSTS:,} are taken.")
    return found


def _zipped(data: bytes) -> ForeignFile:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > MOST_OCTETS:
                raise UploadError("This zip holds more than 1 GB unpacked. Export less at a time.")
            files = _unpacked(archive, infos)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        raise UploadError("This zip is broken or locked. Export it again.") from error
    if any(path.rpartition("/")[2] == "posts.csv" for path in files):
        posts, lost = substack.posts_of(files)
        return ForeignFile(substack.name, posts, _pictures(files), lost)
    for path, content in files.items():
        if path.endswith(".json") and not path.rpartition("/")[2].startswith("."):
            return _ghost(content, _pictures(files))
    raise UploadError(_NONE)


def _unpacked(archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo]) -> dict[str, bytes]:
    """Every file, in pieces: what a zip says of its sizes may be a lie. Raises UploadError past the limit."""
    files: dict[str, bytes] = {}
    left = MOST_OCTETS
    for info in infos:
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UploadError("This zip is packed in a way that is not taken. Pack it anew as a plain zip.")
        with archive.open(info) as packed:
            pieces = list(iter(lambda packed=packed: packed.read(_PIECE), b""))
        files[info.filename] = b"".join(pieces)
        left -= len(files[info.filename])
        if left < 0:
            raise UploadError("This zip holds more than 1 GB unpacked. Export less at a time.")
    return files


def _ghost(data: bytes, pictures: dict[str, bytes]) -> ForeignFile:
    try:
        tables = ghost.tables_of(msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf")))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        tables = None
    if tables is None:
        raise UploadError(_NONE)
    posts, lost = ghost.posts_of(tables)
    return ForeignFile(ghost.name, posts, pictures, lost)


def _pictures(files: dict[str, bytes]) -> dict[str, bytes]:
    return {path: content for path, content in files.items() if path.lower().endswith(_PICTURES)}
