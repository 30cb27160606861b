"""A picture as somebody sends it, made into one that may stand on a site and in a mail.

Its format is told by its bytes, never by its name. It is turned upright, shrunk to the width that the widest
screen shows it at, and written anew, so that nothing it carried is left: no place, camera or owner. A moving
picture keeps its frames and nothing else. What would take much memory is refused before a pixel is read.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageCms, ImageOps

from app.base.errors import Invalid, Problem, TooLarge
from app.posts.moving import bare_gif, bare_webp

MAX_OCTETS = 20_000_000
MAX_PIXELS = 60_000_000
"""Of one picture, before it is shrunk: some 240 MB of memory while it is worked on."""
MAX_FRAMES = 1_000
WIDEST, TALLEST = 1_600, 8_000
"""Pixels: twice the 39 rem of the reading column, for dense screens; and a long screenshot."""
QUALITY = 85
ENDINGS = {"image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp"}
TAKEN = "JPEG, PNG, GIF, WebP and AVIF pictures are taken"
_MOVING = {"GIF": ("image/gif", bare_gif), "WEBP": ("image/webp", bare_webp)}
_FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "AVIF")
#: Two at a time in one process, whoever asks: more would need the memory of more. In threads of their own, so
#: that who waits for a turn holds none that something else needs.
_TURNS = ThreadPoolExecutor(2, "pictures")


@dataclass(frozen=True)
class Picture:
    """A picture fit to be shown: `data` is a file of the media type `kind`; sizes in pixels."""

    data: bytes
    kind: str
    width: int
    height: int


async def read_picture(data: bytes) -> Picture:
    """The picture in `data`, in its turn. Raises as `picture_of`."""
    return await asyncio.get_running_loop().run_in_executor(_TURNS, picture_of, data)


def picture_of(data: bytes) -> Picture:
    """The picture in `data`, which may come from anywhere; it may take a second, and much memory.

    Raises TooLarge past MAX_OCTETS, MAX_PIXELS or MAX_FRAMES, Invalid for what is no picture we can show.
    """
    if len(data) > MAX_OCTETS:
        raise TooLarge(f"This picture has {len(data) / 1e6:.0f} MB; {MAX_OCTETS / 1e6:.0f} MB are taken.")
    if not data:
        raise _invalid("This file is empty. Choose another.")
    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as image:
            _check_size(image)
            _read_whole(image)
            return _shown(image, data)
    except (Invalid, TooLarge):
        raise
    except Image.DecompressionBombError as error:
        raise _too_many_pixels() from error
    except Image.UnidentifiedImageError as error:
        raise _invalid(f"This file is no picture that can be shown: {TAKEN}. {_hint(data)}") from error
    except Exception as error:  # each decoder raises what it likes: RuntimeError, IndexError, struct.error
        raise _invalid("This picture is broken or was cut off on its way. Send it again.") from error


def _check_size(image: Image.Image) -> None:
    if image.width * image.height > MAX_PIXELS:
        raise _too_many_pixels()
    frames = getattr(image, "n_frames", 1)
    if frames > MAX_FRAMES or frames * image.width * image.height > 4 * MAX_PIXELS:
        raise TooLarge("This moving picture is too long or too wide. Make it shorter, or smaller.")


def _shown(image: Image.Image, data: bytes) -> Picture:
    if _moves(image):
        kind, bare = _MOVING[image.format or ""]
        return Picture(bare(data), kind, image.width, image.height)
    upright = _in_srgb(ImageOps.exif_transpose(image))
    see_through = upright.has_transparency_data
    still = upright.convert("RGBA" if see_through else "RGB")
    still.thumbnail((WIDEST, TALLEST), Image.Resampling.LANCZOS)
    still.info.clear()
    if see_through:
        return _saved(still, "image/png", format="PNG", optimize=True)
    jpeg = _saved(still, "image/jpeg", format="JPEG", quality=QUALITY, optimize=True, progressive=True)
    if image.format not in ("PNG", "GIF"):
        return jpeg
    png = _saved(still, "image/png", format="PNG", optimize=True)
    # A drawing or a screenshot stays sharp; a photograph that came as PNG would be many times as large.
    return png if len(png.data) <= 2 * len(jpeg.data) else jpeg


def _moves(image: Image.Image) -> bool:
    return image.format in _MOVING and getattr(image, "is_animated", False)


def _read_whole(image: Image.Image) -> None:
    """Raises what reading a frame raises: the frames of a moving picture are handed on, so all are read."""
    image.draft("RGB", (2 * WIDEST, 2 * WIDEST))  # a JPEG is read at half or less of its size where it can
    for frame in range(getattr(image, "n_frames", 1) if _moves(image) else 1):
        image.seek(frame)
        image.load()


def _in_srgb(image: Image.Image) -> Image.Image:
    """The same colours without a profile of their own: mail programs do not read profiles."""
    profile = image.info.get("icc_profile")
    if not profile:
        return image
    try:
        into = ImageCms.createProfile("sRGB")
        mode = "RGBA" if image.mode == "RGBA" else "RGB"
        made = ImageCms.profileToProfile(
            image, ImageCms.ImageCmsProfile(BytesIO(profile)), into, outputMode=mode
        )
    except (ImageCms.PyCMSError, OSError, ValueError):  # a profile that nothing can read
        return image
    return made or image


def _saved(image: Image.Image, kind: str, **how: object) -> Picture:
    image.save(body := BytesIO(), **how)  # type: ignore[arg-type] - each format takes options of its own
    return Picture(body.getvalue(), kind, image.width, image.height)


def _hint(data: bytes) -> str:
    head = data[:400].lstrip().lower()
    if b"ftyp" in data[:12]:
        return "If it comes from a phone, have it send or export JPEG."
    if head.startswith((b"<svg", b"<?xml", b"<!doctype")):
        return "A drawing (SVG) can carry scripts: export it as PNG."
    if head.startswith(b"%pdf"):
        return "This is a PDF: export its page as PNG."
    return "Export it as JPEG or PNG."


def _too_many_pixels() -> TooLarge:
    return TooLarge(
        f"This picture has more than {MAX_PIXELS // 1_000_000} million pixels. Make it smaller first: "
        f"{WIDEST:,} pixels wide is all that is shown."
    )


def _invalid(message: str) -> Invalid:
    return Invalid([Problem("image", message)])
