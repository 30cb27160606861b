"""Forms as people send them: text that the database can keep, told by field when it cannot."""

import re
from typing import Any
from urllib.parse import parse_qsl

from litestar.datastructures import UploadFile
from litestar.exceptions import ClientException

from app.answers.requests import Request
from app.base.errors import Invalid, Problem

MOST_FIELDS = 2000

_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")


class Form:
    """What a form held. Text is returned trimmed of nothing: what was typed is what comes back."""

    def __init__(self, values: dict[str, list[str]], files: dict[str, tuple[str, bytes]]) -> None:
        self._values = values
        self._files = files

    def text(self, name: str, *, most: int = 255) -> str:
        """A field's value, '' when it is absent. Raises Invalid for what cannot be kept, or is too long."""
        value = self._values.get(name, [""])[-1].replace("\r\n", "\n")
        return _kept(name, value, most)

    def typed(self, name: str) -> str:
        """What was typed, to be shown again, without what no page can hold."""
        return _UNKEEPABLE.sub("", self._values.get(name, [""])[-1].replace("\r\n", "\n"))

    def has(self, name: str) -> bool:
        """Whether the form has such a field, empty or not."""
        return name in self._values

    def optional(self, name: str, *, most: int = 255) -> str | None:
        """The trimmed value, None when nothing but space was given."""
        return self.text(name, most=most).strip() or None

    def checked(self, name: str) -> bool:
        """Whether a box was ticked."""
        return bool(self._values.get(name, [""])[-1])

    def others(self, *known: str) -> list[str]:
        """The names in it, of fields and files, that are none of these."""
        return sorted((self._values.keys() | self._files.keys()) - set(known))

    def many(self, name: str, *, most: int = 255) -> list[str]:
        """Every value of a field that may come several times."""
        return [_kept(name, value, most) for value in self._values.get(name, [])]

    def file(self, name: str) -> tuple[str, bytes] | None:
        """A file's name and bytes, None when none was chosen."""
        return self._files.get(name)


async def form_of(request: Request) -> Form:
    """The form in a request's body. Raises Invalid when it is none, TooLarge past the handler's limit."""
    kind = request.content_type[0]
    if kind == "application/x-www-form-urlencoded":
        return Form(_parsed(await request.body()), {})
    if kind == "multipart/form-data":
        return await _parts(request)
    if not await request.body():
        return Form({}, {})
    raise Invalid("This is not a form. Send it as application/x-www-form-urlencoded or multipart/form-data.")


def _parsed(body: bytes) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except UnicodeDecodeError as error:
        raise Invalid("The form holds letters that are not UTF-8. Type them anew.") from error
    except ValueError as error:
        raise Invalid(f"The form has too many fields; the most is {MOST_FIELDS}.") from error
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values


async def _parts(request: Request) -> Form:
    values: dict[str, list[str]] = {}
    files: dict[str, tuple[str, bytes]] = {}
    try:
        sent = await request.form()
    except (ClientException, UnicodeDecodeError, LookupError) as error:
        if getattr(error, "status_code", 400) != 400:
            raise
        raise Invalid("The form arrived broken. Send it again.") from error
    for name, value in sent.multi_items():
        part: Any = value
        if isinstance(part, UploadFile):
            body = await part.read()
            await part.close()
            if part.filename or body:
                files[name] = (_kept(name, part.filename, 1000), body)
        else:
            values.setdefault(name, []).append(part)
    return Form(values, files)


def _kept(name: str, value: str, most: int) -> str:
    if "\0" in value:
        raise Invalid([Problem(name, "There is a NUL in it, which cannot be kept. Type it anew.")])
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise Invalid([Problem(name, "There is half a character in it. Type it anew.")])
    if len(value) > most:
        raise Invalid([Problem(name, f"This is {len(value):,} characters long; the most is {most:,}.")])
    return value
