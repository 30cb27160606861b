"""Fields: the places in a mail that differ from reader to reader.

A creator writes `{first_name, "there"}`, `{name, "friend"}` or `{email}`; the quoted part stands in for a
reader without one. Anything else in braces or percent signs is the creator's own text and stays exactly as
written: `{{ name }}`, `${name}`, `%recipient.name%` and `{frist_name}` are not fields.

From the moment content is frozen until it is rendered for one reader, a field is a *mark*:

    U+FDD0  name  U+FDD2  fallback  U+FDD1        a field; its fallback may be empty
    U+FDD0  name  U+FDD1                          a blank (`blank("unsubscribe_url")`): a value is required
    U+FDD0  U+FDD3  name …                        it stands inside a URL and is percent-encoded first

These four are noncharacters: `scrub` takes them out of everything that people or other systems send, so no
text can ever pass for a mark. Fallbacks are spelt with letters, digits and `_` only (`_26_` is `&`), so that
escaping, sanitising or inlining a template on its way cannot change them.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

__all__ = [
    "FIELDS",
    "Context",
    "Field",
    "Unfilled",
    "blank",
    "fill",
    "find",
    "mark",
    "marked",
    "misspelt",
    "one_line",
    "replace_fields",
    "scrub",
]

FIELDS = ("first_name", "name", "email")
Context = Literal["html", "text", "header", "url"]

OPEN, CLOSE, FALLBACK, IN_URL = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"

# Not after { $ # % \ and not before }: those spellings belong to other template languages, or are an escape.
FIELD = re.compile(r'(?<![{$#%\\])\{(first_name|name|email)(?: ?, ?"([^"\r\n]{0,200})")?\}(?!\})')
_MARK = re.compile(f"{OPEN}({IN_URL}?)([a-z][a-z0-9_]{{0,63}})(?:{FALLBACK}([A-Za-z0-9_]*))?{CLOSE}")
_NEARLY = re.compile(
    r"(?<![{$#%\\])\{ ?([A-Za-z][A-Za-z _-]{1,20}?)"
    r"""(?: ?[,|:] ?(["'“”„«»‘’])([^"“”„«»‘’\r\n{}]{0,200})["'“”„«»‘’])? ?\}(?!\})"""
)
_ALIASES = {
    "firstname": "first_name",
    "fname": "first_name",
    "given_name": "first_name",
    "full_name": "name",
    "fullname": "name",
    "mail": "email",
    "e_mail": "email",
    "email_address": "email",
}

# C0 but tab and line ends, DEL, C1, lone surrogates, and every noncharacter of Unicode (66 of them).
_NEVER = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(chr(plane * 0x10000 + 0xFFFE) + chr(plane * 0x10000 + 0xFFFF) for plane in range(1, 17))
    + "]"
)
# A value may neither break the line it stands in nor turn the text around it: line ends become spaces, and
# bidi overrides, embeddings and isolates go. Zero-width joiners stay, because scripts and emoji need them.
_BREAKS = re.compile(r"[\t\r\n\u2028\u2029]+")
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = re.compile("[\\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+")


@dataclass(frozen=True)
class Field:
    """One field as written. `start` and `end` are offsets into the text it was found in."""

    name: str
    fallback: str
    start: int
    end: int


class Unfilled(ValueError):
    """A blank that every mail must fill was given no value: our fault, and the mail must not leave."""


def scrub(text: str) -> str:
    """`text` without what no text may hold: control characters, NUL, lone surrogates, noncharacters."""
    return _NEVER.sub("", text)


def one_line(text: str | None) -> str:
    """A reader's value as it may stand in a line: '' when there is nothing in it that anyone could see."""
    text = _TURNS.sub("", scrub(_BREAKS.sub(" ", text or ""))).strip()
    return text if _INVISIBLE.sub("", text) else ""


def find(text: str) -> list[Field]:
    """The fields of `text`, in order."""
    return [
        Field(found[1], (found[2] or "").strip(), found.start(), found.end())
        for found in FIELD.finditer(text)
    ]


def replace_fields(text: str, *, in_url: bool = False) -> str:
    """`text` with its fields as marks, leaving marks that are already there alone."""
    return FIELD.sub(lambda found: _mark(found[1], (found[2] or "").strip(), in_url=in_url), text)


def mark(text: str) -> str:
    """Scrub `text` and replace its fields by marks; all else stays exactly as written."""
    return replace_fields(scrub(text))


def blank(name: str) -> str:
    """The mark of a named blank, such as `unsubscribe_url`, that must have a value when it is filled."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name):
        raise ValueError(f"a blank is named in small letters, digits and _: {name!r}")
    return f"{OPEN}{name}{CLOSE}"


def marked(template: str) -> frozenset[str]:
    """The names of all marks that stand in `template`; empty for a text that is ready to leave."""
    return frozenset(found[2] for found in _MARK.finditer(template))


def fill(template: str, values: Mapping[str, str | None], context: Context) -> str:
    """`template` with every mark replaced for one reader.

    `values` is keyed by name; `first_name` is the first word of `name` unless it is given. An absent, empty
    or blank value takes the fallback. Everything put in is escaped for `context` and looked at no further.
    A header has no line ends or tabs. Raises Unfilled for a blank without a value.
    """

    def put(found: re.Match[str]) -> str:
        if found[3] is None:
            text = values.get(found[2])
            if text is None:
                raise Unfilled(f"no value for {found[2]}")
            text = scrub(text)
        else:
            text = _value(values, found[2]) or _decoded(found[3])
        return _escaped(quote(text, safe="") if found[1] else text, context)

    filled = _MARK.sub(put, template)
    return _BREAKS.sub(" ", filled) if context == "header" else filled


def misspelt(text: str) -> list[tuple[str, str]]:
    """What looks like a field but is none, each with what was probably meant.

    `{frist_name}` gives `("{frist_name}", "{first_name}")`; curly quotes and wrong capitals are told too.
    """
    known = {(field.start, field.end) for field in find(text)}
    found: list[tuple[str, str]] = []
    for nearly in _NEARLY.finditer(text):
        name = None if nearly.span() in known else _meant(nearly[1])
        if name:
            fallback = f', "{nearly[3].strip()}"' if nearly[3] else ""
            found.append((nearly[0], "{" + name + fallback + "}"))
    return found


def _mark(name: str, fallback: str, *, in_url: bool) -> str:
    return f"{OPEN}{IN_URL if in_url else ''}{name}{FALLBACK}{_encoded(fallback)}{CLOSE}"


def _encoded(text: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else f"_{ord(char):x}_" for char in text)


def _decoded(text: str) -> str:
    return re.sub(r"_([0-9a-f]{1,6})_", lambda found: chr(int(found[1], 16)), text)


def _value(values: Mapping[str, str | None], name: str) -> str:
    """One reader's value on one line; '' when there is nothing that anyone could see."""
    given = values.get(name)
    if name == "first_name" and not one_line(given):
        words = one_line(values.get("name")).split()
        given = words[0] if words else ""
    return one_line(given)


def _escaped(text: str, context: Context) -> str:
    match context:
        case "html":
            return html.escape(text, quote=True)
        case "url":
            return quote(text, safe="")
        case "header":
            return _BREAKS.sub(" ", text)
        case "text":
            return text


def _meant(written: str) -> str | None:
    name = re.sub(r"[ -]+", "_", written.strip().lower())
    if name in FIELDS:
        return name
    if name in _ALIASES:
        return _ALIASES[name]
    best = min(FIELDS, key=lambda field: _distance(name, field))
    return best if _distance(name, best) <= (2 if len(best) > 5 else 1) else None


def _distance(one: str, two: str) -> int:
    """How many letters must be changed, added, dropped or swapped with their neighbour."""
    before: list[int] = []
    last = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(two, 1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b)))
            if i > 1 and j > 1 and a == two[j - 2] and one[i - 2] == b:
                row[j] = min(row[j], before[j - 2] + 1)
        before, last = last, row
    return last[-1]
