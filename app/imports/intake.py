"""Taking a file from a request, and refusing what is no table of readers before anything is kept (N6)."""

import asyncio
from dataclasses import dataclass
from typing import Any

from litestar import Request

from app.answers import Form, form_of
from app.base.errors import Invalid, Problem, TooLarge
from app.imports.formats import CSV, guessed, read, titles
from app.imports.posts import open_posts
from app.imports.uploads import LARGEST_FILE, UploadError

#: A form around the file takes a little more than the file.
BODY = LARGEST_FILE + 64 * 1024
#: A file of posts is taken apart in memory: that of several at once would be several times as much.
_ONE_AT_A_TIME = asyncio.Lock()


async def uploaded(request: Request[Any, Any, Any]) -> tuple[str, bytes]:
    """The file's name ('' for a bare body) and bytes. Raises Invalid, TooLarge.

    A form holds nothing else: what is wished stands behind the `?`, and a `dry_run` that is passed over would
    import for real.
    """
    if request.content_type[0] == "multipart/form-data":
        form = await form_of(request)
        if others := form.others("file"):
            told = "A form holds the file alone. Say {0} behind the address: ?{0}=…"
            raise Invalid([Problem(name, told.format(name[:60])) for name in others[:20]])
        return chosen_file(form)
    return "", _of_a_size(await request.body())


def chosen_file(form: Form) -> tuple[str, bytes]:
    """The name and bytes of a form's file. Raises Invalid, TooLarge."""
    chosen = form.file("file")
    if chosen is None:
        raise Invalid([Problem("file", "Choose a file: the export of your readers.")])
    name, content = chosen
    return name, _of_a_size(content)


@dataclass(frozen=True)
class Readable:
    """A file that was found to be a table of readers. `mapping`: what the columns of a CSV seem to mean."""

    format: str
    mapping: dict[str, str] | None = None
    kind: str = "readers"


async def file_to_import(content: bytes, wanted: str = "auto") -> Readable:
    """A file of readers or of posts, whichever it is. Raises Invalid naming `format` or `file`."""
    if wanted not in ("auto", "ghost", "substack") or not is_posts(content):
        return await checked_format(content, wanted)
    try:
        async with _ONE_AT_A_TIME:
            found = await asyncio.to_thread(open_posts, content)
    except UploadError as error:
        raise Invalid([Problem("file", error.detail)]) from error
    if wanted not in ("auto", found.format.removesuffix("-posts")):
        raise Invalid([Problem("format", f"This file is not of {wanted}: leave format out.")])
    return Readable(found.format, kind="posts")


def is_posts(content: bytes) -> bool:
    """Whether to look for posts in it: no table of readers is a zip or JSON."""
    return content[:4] == b"PK\x03\x04" or content[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"


async def checked_format(content: bytes, wanted: str = "auto") -> Readable:
    """Which format the file is in. Raises Invalid naming `format` or `file`: nothing is kept then."""
    if wanted != "auto" and wanted not in titles():
        known = ", ".join(("auto", *titles()))
        raise Invalid([Problem("format", f"Godwit cannot read “{wanted[:40]}” yet. It reads: {known}.")])
    try:
        found = await asyncio.to_thread(read, content, wanted)
    except UploadError as error:
        raise Invalid([Problem("file", error.detail)]) from error
    return Readable(found.format, guessed(found.headers) if found.format == CSV else None)


def _of_a_size(content: bytes) -> bytes:
    if len(content) > LARGEST_FILE:
        raise TooLarge(f"The file is larger than {LARGEST_FILE // 1024**2} MB. Split it into smaller files.")
    return content
