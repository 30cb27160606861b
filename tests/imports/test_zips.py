"""Zips that lie about what they hold, or are packed in ways that cannot be read in pieces."""

import io
import random
import struct
import tracemalloc
import zipfile

import pytest

from app.imports.posts import archive, reading
from app.imports.posts.reading import open_posts
from app.imports.uploads import UploadError
from tests.imports.foreign_files import ghost, ghost_post


def packed(method: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as made_zip:
        made_zip.writestr("ghost.json", b"\1\2\3" * 100_000)
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


def bomb(name: str, size: int, count: int = 1) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as made_zip:
        made_zip.writestr("ghost.json", ghost(ghost_post(1)))
        for number in range(count):
            made_zip.writestr(name.format(number), b"\0" * size)
    return made.getvalue()


def test_what_is_packed_tighter_than_any_picture_is_refused_unread() -> None:
    with pytest.raises(UploadError, match=r"content/images/0\.png in this zip is packed tighter"):
        open_posts(bomb("content/images/{}.png", 2_000_000))


def test_a_zip_that_holds_too_much_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_OCTETS", 5_000_000)
    with pytest.raises(UploadError, match="unpacked"):
        open_posts(bomb("{}.png", 1_000_000, 5))
    monkeypatch.setattr(archive, "MOST_FILES", 5)
    with pytest.raises(UploadError, match="more than 5 files"):
        open_posts(bomb("{}.png", 1, 5))


def test_reading_a_zip_holds_none_of_its_pictures() -> None:
    noise = io.BytesIO()
    with zipfile.ZipFile(noise, "w", zipfile.ZIP_STORED) as made:
        made.writestr("ghost.json", ghost(ghost_post(1)))
        for number in range(20):
            made.writestr(f"content/images/{number}.png", random.Random(number).randbytes(500_000))
    data = noise.getvalue()
    tracemalloc.start()
    open_posts(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000 < len(data)


def test_a_json_of_many_small_values_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_VALUES", 1000)
    with pytest.raises(UploadError, match="more than 1,000 values"):
        open_posts(b'{"posts": [' + b"[]," * 1000 + b"[]]}")
