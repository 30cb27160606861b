"""Which product's posts a file holds, and the posts in it."""

import msgspec

from app.imports.posts import ghost, substack
from app.imports.posts.archive import Archive, Pictures
from app.imports.posts.foreign import ForeignFile
from app.imports.uploads import LARGEST_FILE, UploadError

MOST_POSTS = 20_000
MOST_VALUES = 5_000_000
"""In one JSON: each takes up to a hundred octets of memory, whatever it takes in the file."""
_NONE = (
    "This file holds no posts that Godwit can read. It takes Ghost's export (JSON, or a zip with it and"
    " content/images) and Substack's (zip)."
)
_OURS = (
    "This is a whole publication that Godwit exported. It goes into an empty one, by the command:"
    " godwit import --account SHORT-NAME FILE"
)


def open_posts(data: bytes) -> ForeignFile:
    """The posts in it. Raises UploadError, which says what the file is not."""
    found = _zipped(Archive(data)) if data[:4] == b"PK\x03\x04" else _ghost(data, Pictures())
    if not found.posts:
        raise UploadError("There are no posts in this file. Export it again.")
    if len(found.posts) > MOST_POSTS:
        raise UploadError(f"There are {len(found.posts):,} posts in it; at most {MOST_POSTS:,} are taken.")
    return found


def _zipped(archive: Archive) -> ForeignFile:
    if {"publication.json", "readers.jsonl"} <= set(archive.paths):
        raise UploadError(_OURS)
    names = {path.rpartition("/")[2]: path for path in archive.paths}
    if "posts.csv" in names:
        posts, lost = substack.posts_of(archive, names["posts.csv"], MOST_POSTS)
        return ForeignFile(substack.name, posts, Pictures(archive), lost)
    for name, path in names.items():
        if name.endswith(".json") and not name.startswith("."):
            return _ghost(archive.read(path, LARGEST_FILE), Pictures(archive))
    raise UploadError(_NONE)


def _ghost(data: bytes, pictures: Pictures) -> ForeignFile:
    if sum(data.count(mark) for mark in (b",", b"[", b"{")) > MOST_VALUES:
        raise UploadError(f"This file holds more than {MOST_VALUES:,} values. Export less at a time.")
    try:
        tables = ghost.tables_of(msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf")))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        tables = None
    if tables is None:
        raise UploadError(_NONE)
    posts, lost = ghost.posts_of(tables)
    return ForeignFile(ghost.name, posts, pictures, lost)
