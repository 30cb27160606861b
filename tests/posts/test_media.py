"""Promise 8: pictures under the hash of their bytes, without what they carried, within limits."""

import asyncio
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from random import Random
from typing import Any, cast
from zlib import crc32

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from app.base.database import Database
from app.base.errors import GodwitError, Invalid, TooLarge
from app.base.settings import settings
from app.posts import media_file, note_image, write_image
from app.posts.pictures import MAX_OCTETS, WIDEST, picture_of, read_picture
from tests.posts.clients import served
from tests.posts.makers import make_desk


def drawn(kind: str, size: tuple[int, int] = (40, 20), mode: str = "RGB", **how: Any) -> bytes:
    image = Image.linear_gradient("L").resize(size).convert(mode)
    image.save(body := BytesIO(), kind, **how)
    return body.getvalue()


def moving(kind: str = "GIF", **how: Any) -> bytes:
    frames = [Image.linear_gradient("L").rotate(turn).resize((60, 60)) for turn in (0, 90, 180)]
    how = {"save_all": True, "append_images": frames[1:], "duration": [100, 500, 200], "loop": 0, **how}
    frames[0].save(body := BytesIO(), kind, **how)
    return body.getvalue()


def frames_of(data: bytes) -> list[tuple[int, bytes]]:
    """Each frame's milliseconds and pixels."""
    image = seen(data)
    found: list[tuple[int, bytes]] = []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        pixels = image.convert("RGBA").tobytes()
        found.append((image.info["duration"], pixels))
    return found


def blocks(kind: int, *parts: bytes) -> bytes:
    """An extension of a GIF."""
    return bytes([0x21, kind]) + b"".join(bytes([len(part)]) + part for part in parts) + b"\0"


def seen(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


def test_a_photograph_is_turned_upright_and_tells_nothing_of_where_it_was_taken() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    exif[0x010F] = "Camera of Ana"
    exif.get_ifd(0x8825)[1] = "N"  # where
    made = picture_of(drawn("JPEG", (400, 200), exif=exif, comment=b"private"))
    assert (made.kind, made.width, made.height) == ("image/jpeg", 200, 400)
    assert not seen(made.data).getexif()
    assert b"Ana" not in made.data
    assert b"private" not in made.data


@pytest.mark.parametrize(
    ("data", "kind", "size"),
    [
        (drawn("JPEG", (4000, 2000)), "image/jpeg", (WIDEST, WIDEST // 2)),
        (drawn("PNG", (3200, 800), "RGBA"), "image/png", (WIDEST, 400)),
        (drawn("PNG", (300, 200)), "image/png", (300, 200)),
        (drawn("WEBP", (300, 200)), "image/jpeg", (300, 200)),
        (drawn("AVIF", (300, 200)), "image/jpeg", (300, 200)),
        (drawn("GIF", (300, 200)), "image/png", (300, 200)),
        (drawn("JPEG", (60, 40), "CMYK"), "image/jpeg", (60, 40)),
    ],
    ids=["wide", "see-through", "drawing", "webp", "avif", "still-gif", "cmyk"],
)
def test_a_picture_is_no_wider_than_it_is_ever_shown(data: bytes, kind: str, size: tuple[int, int]) -> None:
    made = picture_of(data)
    assert (made.kind, (made.width, made.height)) == (kind, size)
    assert seen(made.data).size == size


def test_a_moving_gif_keeps_its_frames_and_nothing_it_was_told_beside_them() -> None:
    plain = moving()
    at = plain.index(b"\x21\xff")  # before its loop
    carried = [
        blocks(0xFE, b"taken by Ana", b"in Deal"),
        blocks(0xFF, b"XMP DataXMP", b"<x:xmpmeta>51.22N", b"\xff" * 200),
        blocks(0xFF, b"ICCRGBG1012", b"Ana"),
        blocks(0x01, b"\0" * 12, b"Ana was here"),
    ]
    made = picture_of(plain[:at] + b"".join(carried) + plain[at:] + b"and Ana after its end")
    assert (made.kind, made.data) == ("image/gif", plain)
    assert [time for time, _ in frames_of(made.data)] == [100, 500, 200]
    assert seen(made.data).info["loop"] == 0


def test_a_moving_webp_keeps_its_frames_and_their_times() -> None:
    exif = Image.Exif()
    exif[0x010F] = "Camera of Ana"
    carrying = moving("WEBP", exif=exif, xmp=b"<x:xmpmeta>51.22N")
    assert b"Ana" in carrying
    made = picture_of(carrying)
    assert made.kind == "image/webp"
    assert frames_of(made.data) == frames_of(carrying)
    assert [time for time, _ in frames_of(made.data)] == [100, 500, 200]
    assert (b"Ana" in made.data, b"51.22N" in made.data) == (False, False)
    assert not seen(made.data).getexif()


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "AVIF", "GIF"])
def test_nothing_that_a_still_picture_carries_is_kept(kind: str) -> None:
    exif = Image.Exif()
    exif[0x010F] = "Camera of Ana"
    told = PngInfo()
    told.add_text("Author", "Ana")
    how: dict[str, Any] = {"exif": exif, "xmp": b"Ana"} if kind != "GIF" else {"comment": b"Ana"}
    how |= {"pnginfo": told} if kind == "PNG" else {}
    made = picture_of(drawn(kind, **how))
    assert b"Ana" not in made.data
    assert not seen(made.data).getexif()


BROKEN = {
    "jpeg": drawn("JPEG", (64, 64)),
    "png": drawn("PNG", (64, 64), "RGBA"),
    "gif": moving(),
    "webp": drawn("WEBP", (64, 64)),
    "moving webp": moving("WEBP"),
    "avif": drawn("AVIF", (64, 64)),
    "moving avif": moving("AVIF"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_broken_anywhere_is_a_picture_or_a_sentence(kind: str) -> None:
    chance = Random(kind)
    for _ in range(80):
        data = bytearray(BROKEN[kind])
        for _ in range(chance.choice((1, 2, 9))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        with suppress(Invalid, TooLarge):
            picture_of(bytes(data[: chance.choice((len(data), chance.randrange(len(data))))]))


async def test_who_waits_for_a_picture_holds_no_thread_that_others_need() -> None:
    data = drawn("JPEG", (1_800, 900))
    reading = [asyncio.create_task(read_picture(data)) for _ in range(12)]
    await asyncio.sleep(0)
    await asyncio.to_thread(len, data)
    assert sum(one.done() for one in reading) <= 4
    assert {(await one).width for one in reading} == {WIDEST}


def bomb(side: int = 30_000) -> bytes:
    """A PNG of some kilobytes that says it has 900 million pixels, or as many as its side squared."""
    small = drawn("PNG")
    head = b"IHDR" + side.to_bytes(4, "big") * 2 + small[24:29]
    return small[:12] + head + crc32(head).to_bytes(4, "big") + small[33:]


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (b"", Invalid, "empty"),
        (b"hello", Invalid, "no picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", Invalid, "export it as PNG"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 50, Invalid, "JPEG"),
        (b"%PDF-1.7 ", Invalid, "PDF"),
        (drawn("JPEG", (400, 300))[:2000], Invalid, "broken"),
        (drawn("PNG", (400, 300))[:-200], Invalid, "broken"),
        (moving()[:1500], Invalid, "broken"),
        (b"x" * (MAX_OCTETS + 1), TooLarge, "20 MB are taken"),
        (bomb, TooLarge, "million pixels"),
        (lambda: bomb(8_000), TooLarge, "million pixels"),
    ],
    ids=["empty", "text", "svg", "heic", "pdf", "cut-jpeg", "cut-png", "cut-gif", "heavy", "bomb", "large"],
)
def test_what_is_no_picture_is_told_in_words(data: Any, error: type[GodwitError], words: str) -> None:
    with pytest.raises(error, match=words):
        picture_of(cast(Any, data() if callable(data) else data))


async def test_the_same_picture_twice_is_there_once_under_its_hash(web: Database) -> None:
    desk, other = await make_desk(web), await make_desk(web, "elsewhere")
    data = drawn("PNG")
    for account in (desk.account_id, desk.account_id, other.account_id):
        stored = await write_image(data, "C:\\Pictures\\tide\x00.png")
        async with web.transaction(account) as tx:
            made = await note_image(tx, stored, desk.creator_id)
    kept = [path for path in settings().media.rglob("*") if path.is_file()]
    assert [path.name for path in kept] == [made.url.removeprefix("/media/")]
    assert made.hash == sha256(kept[0].read_bytes()).hexdigest()
    async with web.transaction(desk.account_id) as tx:
        rows = await tx.rows("select hash, name, width, height from media")
    assert [tuple(row) for row in rows] == [(made.hash, "tide.png", 40, 20)]


async def test_no_name_leads_out_of_the_folder(web: Database) -> None:
    outside = f"{'0' * 64}.png"
    (settings().media.parents[1] / outside).write_bytes(b"not yours")
    settings().media.mkdir(parents=True)
    assert (settings().media / ".." / ".." / outside).read_bytes() == b"not yours"
    assert await media_file(f"../{outside}") is None


async def test_a_picture_is_served_for_ever_on_studio_and_site(web: Database) -> None:
    desk = await make_desk(web)
    made = (await write_image(drawn("JPEG"), "a.jpg")).media
    async with served(web, desk) as here:
        for client in (here.site, here.studio):
            answer = await client.get(str(client.base_url.copy_with(path=made.url)))
            assert (answer.status_code, answer.headers["content-type"]) == (200, "image/jpeg")
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "set-cookie" not in answer.headers
            assert sha256(answer.content).hexdigest() == made.hash
        again = await here.site.get(made.url, headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304
        for wrong in ("/media/nothing.png", f"/media/{made.hash}.png", "/media/..%2f..%2fsecret_key"):
            assert (await here.site.get(wrong)).status_code == 404
