"""Zips that lie about what they hold, or are packed in ways that cannot be read in pieces."""

import io
import struct
import zipfile

import pytest

from app.imports.posts.reading import open_posts
from app.imports.uploads import UploadError


def packed(method: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        archive.writestr("ghost.json", b"\0" * 5_000_000)
    return made.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_what_can_be_read_in_pieces_is_taken(method: int) -> None:
    with pytest.raises(UploadError, match="packed in a way"):
        open_posts(packed(method))


def test_a_zip_that_lies_about_its_size_is_broken() -> None:
    lying = bytearray(packed(zipfile.ZIP_DEFLATED))
    for signature, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = lying.find(signature) + offset
        lying[at : at + 4] = struct.pack("<I", 10)
    with pytest.raises(UploadError, match="broken"):
        open_posts(bytes(lying))
