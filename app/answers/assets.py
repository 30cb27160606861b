"""Static files under addresses that change with their content, so that browsers keep them for a year.

The fingerprint stands before the path (`/static/3f2a…/css/base.css`) and covers the whole folder:
a font that a style sheet names by a relative path is then as durable as the sheet itself.
"""

import gzip
import mimetypes
import os
import time
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

from app.base.settings import settings

FOLDER = Path(__file__).parents[2] / "static"
_COMPRESSED = (".css", ".js", ".svg", ".html", ".txt")
_TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}


@dataclass(frozen=True)
class StaticFile:
    """A file's bytes, its type, and the same bytes gzipped when that is shorter."""

    body: bytes
    media_type: str
    zipped: bytes | None


def asset(path: str) -> str:
    """The address of a file in static/. Raises FileNotFoundError: a template names what is not there."""
    if static_file(path) is None:
        raise FileNotFoundError(f"static/{path}")
    return f"/static/{fingerprint()}/{path}"


def fingerprint() -> str:
    """Twelve letters that change when any static file does."""
    return _fingerprint(_stamp())


def static_file(path: str) -> StaticFile | None:
    """The file at a path inside static/, or None. Read once, and again after a change in development."""
    return _read(path, _stamp())


def _stamp() -> float:
    """When the folder last changed; in production it does not."""
    if settings().mode == "production":
        return 0.0
    return _stamp_in(int(time.monotonic()))


@lru_cache(maxsize=1)
def _stamp_in(second: int) -> float:
    return max(os.stat(path).st_mtime for path in _files())


def _files() -> list[str]:
    return [os.path.join(folder, name) for folder, _, names in os.walk(FOLDER) for name in sorted(names)]


@cache
def _fingerprint(stamp: float) -> str:
    digest = sha256()
    for path in sorted(_files()):
        digest.update(path.removeprefix(str(FOLDER)).encode() + b"\0" + Path(path).read_bytes())
    return digest.hexdigest()[:12]


@lru_cache(maxsize=512)
def _read(path: str, stamp: float) -> StaticFile | None:
    # Only what the folder lists: a path is looked up, never joined, so that none can lead out of it.
    wanted = {str(Path(file).relative_to(FOLDER).as_posix()): Path(file) for file in _files()}.get(path)
    if wanted is None:
        return None
    body = wanted.read_bytes()
    ending = wanted.suffix
    media_type = _TYPES.get(ending) or mimetypes.guess_type(wanted.name)[0] or "application/octet-stream"
    zipped = gzip.compress(body, mtime=0) if ending in _COMPRESSED else None
    return StaticFile(body, media_type, zipped if zipped and len(zipped) < len(body) else None)
