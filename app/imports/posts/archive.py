"""A zip from anybody: what it says of itself is looked at first, then one file of it at a time is read.

Nothing is unpacked that nobody asks for, and never more than one file is held: what a zip says of a size is
an upper bound, since a file that turns out larger than that is broken.
"""

import io
import re
import zipfile
import zlib
from urllib.parse import unquote, urlsplit

from app.imports.uploads import UploadError

MOST_FILES = 100_000
MOST_OCTETS = 512 * 1024**2
"""Of all files unpacked: a zip is at most 64 MB, its pictures hardly shrink and its text to a fifth."""
MOST_TIMES = 200
"""Unpacked octets for one packed, of a file over FREE: text is packed to a tenth, zeros to a thousandth."""
FREE = 1024**2
_ENTRY = b"PK\x01\x02"
_TAKEN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError, OSError)
MOST_FOLDERS = 12
"""How many parts of a path tell a picture from others."""
BROKEN = "This zip is broken or locked. Export it again."
_PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif")
_SIZED = re.compile(r"/size/w\d+(?:h\d+)?/")


class Archive:
    """A zip that can be read. `paths` are its files, in its order; folders are none."""

    def __init__(self, data: bytes) -> None:
        """Raises UploadError for what is no such zip, or is larger than any export."""
        if data.count(_ENTRY) > MOST_FILES:
            raise UploadError(f"This zip holds more than {MOST_FILES:,} files. Export less at a time.")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            infos = [info for info in self._zip.infolist() if not info.is_dir()]
        except _BROKEN as error:
            raise UploadError(BROKEN) from error
        _refuse_packed(infos)
        self._infos = {info.filename: info for info in infos}
        self.paths = tuple(self._infos)

    def size(self, path: str) -> int:
        """Octets of a file unpacked, at most."""
        return self._infos[path].file_size

    def read(self, path: str, most: int) -> bytes:
        """One file. Raises UploadError when it is larger than `most` octets, or broken."""
        if self.size(path) > most:
            raise UploadError(f"{path[-200:]} has over {most // 1024**2} MB, which is more than is taken.")
        try:
            return self._zip.read(self._infos[path])
        except _BROKEN as error:
            raise UploadError(BROKEN) from error


class Pictures:
    """The pictures of an archive, found by where a post says that they are; of none when there is no zip."""

    def __init__(self, archive: Archive | None = None) -> None:
        self._archive = archive
        self._ends: dict[str, str] = {}
        for path in archive.paths if archive else ():
            if path.lower().endswith(_PICTURES):
                parts = path.split("/")
                for begin in range(max(0, len(parts) - MOST_FOLDERS), len(parts)):
                    self._ends.setdefault("/".join(parts[begin:]), path)

    def path_of(self, address: str) -> str | None:
        """The file of the picture at this address, by the end of its path; None when it is not there.

        Ghost asks for sizes that it makes on the way: what is in the file is the picture itself.
        """
        try:
            path = _SIZED.sub("/", unquote(urlsplit(address).path)).lstrip("/")
        except ValueError:
            return None
        return self._ends.get(path)

    def read(self, path: str, most: int) -> bytes:
        """Its octets. Raises UploadError as `Archive.read`."""
        assert self._archive is not None
        return self._archive.read(path, most)


def _refuse_packed(infos: list[zipfile.ZipInfo]) -> None:
    if any(info.compress_type not in _TAKEN for info in infos):
        raise UploadError("This zip is packed in a way that is not taken. Pack it anew as a plain zip.")
    if sum(info.file_size for info in infos) > MOST_OCTETS:
        size = MOST_OCTETS // 1024**2
        raise UploadError(f"This zip holds more than {size} MB unpacked. Export less at a time.")
    for info in infos:
        if info.file_size > max(FREE, MOST_TIMES * info.compress_size):
            raise UploadError(
                f"{info.filename[-200:]} in this zip is packed tighter than any text or picture. Take it out."
            )
