"""Which encoding a file is in, and which files are no text at all."""

import codecs
import re

from charset_normalizer import from_bytes

_KINDS = (
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)"),
    (b"SQLite format 3", "a database"),
)
_MARKUP = re.compile(
    rb"\s*(?:(?P<page><!doctype html|<html|<\?xml|<head|<body)|(?P<json>[\[{]\s*[\"{\[]))", re.I
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r"))
_CHUNK = 64 * 1024
_GUESSED = ["cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r"]
_GUESSED += ["shift_jis", "euc_jp", "gb18030", "big5", "euc_kr", "cp1252"]
_ENOUGH_TO_GUESS = 40  # letters outside ASCII; fewer, and a guess is worse than the usual answer
_CSV = "Export your readers as CSV and upload that."


def encoding_of(data: bytes) -> str:
    """The codec to read this with. Raises ValueError with a sentence where it is no text.

    UTF-8 also where a few bytes of it are broken: those rows fail by themselves, and the letters
    of all others stay right.
    """
    kind = _kind_of(data)
    if kind:
        raise ValueError(f"This is not a CSV file: it seems to be {kind}. {_CSV}")
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding
    sample = data[:_CHUNK]
    if wide := _wide(data[:64]):
        return wide
    if len(sample) - len(sample.translate(None, _CONTROLS)) > len(sample) * 0.1:
        raise ValueError(f"This is not a CSV file: it holds bytes that are no text. {_CSV}")
    good, bad = _utf8_letters(data)
    if not bad or good > bad:
        return "utf-8"
    return _legacy(data, bad)


def _kind_of(data: bytes) -> str | None:
    if data.startswith(b"PK\x03\x04"):
        if b"xl/" in data[:_CHUNK] or b"xl/" in data[-_CHUNK:]:
            return "an Excel workbook (.xlsx)"
        return "a zip archive; unpack it first"
    named = next((name for magic, name in _KINDS if data.startswith(magic)), None)
    if named:
        return named
    markup = _MARKUP.match(data[:4096].removeprefix(codecs.BOM_UTF8))
    if markup:
        return "a web page" if markup["page"] else "JSON"
    return None


def _wide(start: bytes) -> str | None:
    """UTF-16 without its mark: the plain letters of a header leave every other byte zero."""
    half = len(start) // 2
    even, odd = start[0::2].count(0), start[1::2].count(0)
    if half and odd > half * 0.4 and even < half * 0.05:
        return "utf-16-le"
    if half and even > half * 0.4 and odd < half * 0.05:
        return "utf-16-be"
    return None


def _utf8_letters(data: bytes) -> tuple[int, int]:
    """How many letters outside ASCII are good UTF-8, and how many bytes are not."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    good = bad = 0
    view = memoryview(data)
    for begin in range(0, len(data), _CHUNK):
        text = decoder.decode(bytes(view[begin : begin + _CHUNK]), begin + _CHUNK >= len(data))
        if not text.isascii():
            bad += len(re.findall("[\udc80-\udcff]", text))
            good += len(re.findall("[^\0-\x7f\udc80-\udcff]", text))
    return good, bad


def _legacy(data: bytes, letters: int) -> str:
    """An encoding from before Unicode. Windows-1252 unless there is much that says otherwise."""
    if letters >= _ENOUGH_TO_GUESS:
        telling = b"\n".join(line for line in data[: 16 * _CHUNK].splitlines() if not line.isascii())[:20000]
        best = from_bytes(telling, cp_isolation=_GUESSED).best()
        if best is not None:
            return best.encoding
    return "cp1252"
