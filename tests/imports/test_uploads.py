"""Bytes become rows of cells: every encoding, delimiter and slip of a pen (promises F1 and F5)."""

import csv
import io
import time
from pathlib import Path

import pytest

from app.imports import records, uploads
from app.imports.uploads import RawRow, UploadError, open_upload

DATA = Path(__file__).parents[1] / "data"


def sample(name: str) -> bytes:
    return (DATA / name).read_bytes()


def raw(text: str | bytes) -> list[RawRow]:
    return list(open_upload(text.encode() if isinstance(text, str) else text).rows())


def refusal(data: bytes) -> str:
    with pytest.raises(UploadError) as error:
        open_upload(data)
    return error.value.detail


def test_a_semicolon_file_with_a_mark_loses_nothing_but_the_row_whose_quote_never_closes():
    upload = open_upload(sample("messy-semicolon-bom.csv"))
    rows = list(upload.rows())
    assert (upload.encoding, upload.delimiter, upload.headers) == ("utf-8", ";", ("email", "name", "tags"))
    assert [(row.number, row.line) for row in rows] == [(n, n + 1) for n in range(1, 8)]
    assert [row.values["name"] for row in rows[:3]] == ["Zoë O'Brien", "Zoe again", "Müller, Söhne & Co."]
    assert rows[4].values["email"] == "reader3@bücher.example"
    assert [row.number for row in rows if row.problem] == [7]
    assert rows[6].problem
    assert "opens on line 8 is not closed" in rows[6].problem
    assert rows[6].values["email"] == "reader4@example.com"


def test_rows_after_a_quote_that_never_closes_are_read_too():
    rows = raw('email,name\na@x.org,A\nb@x.org,"B\nc@x.org,C\nd@x.org,"D ""x"""\ne@x.org,E "the" E\n')
    assert [row.values["email"][0] for row in rows] == list("abcde")
    assert [row.line for row in rows] == [2, 3, 4, 5, 6]
    assert [bool(row.problem) for row in rows] == [False, True, False, False, False]
    assert rows[3].values["name"] == 'D "x"'
    assert rows[4].values["name"] == 'E "the" E'


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_encoding_delimiter_and_line_end_gives_the_same_rows(encoding: str, delimiter: str, end: str):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
    writer.writerows([["email", "name"], ["a@x.org", "Zoë"], ["b@x.org", 'Two\nlines; "and", |\tso on']])
    upload = open_upload(text.getvalue().encode(encoding))
    assert upload.delimiter == delimiter
    assert [row.values for row in upload.rows()] == [
        {"email": "a@x.org", "name": "Zoë"},
        {"email": "b@x.org", "name": 'Two\nlines; "and", |\tso on'},
    ]
    assert [row.line for row in upload.rows()] == [2, 3]


def test_names_arrive_as_written_in_utf16_and_windows_1252():
    assert [row.values["name"] for row in raw(sample("messy-utf16.csv"))] == ["Søren"]
    cp1252 = open_upload(sample("messy-cp1252.csv"))
    assert cp1252.encoding == "cp1252"
    assert [row.values["First Name"] for row in cp1252.rows()] == ["Zoë"]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\r\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_file_of_one_column_is_read(end: str, encoding: str):
    rows = raw(end.join(["email", "a@x.org", "", "b@x.org"]).encode(encoding))
    assert [row.values["email"] for row in rows] == ["a@x.org", "b@x.org"]


def test_cyrillic_from_before_unicode_is_recognised_where_there_is_enough_of_it():
    names = ["Ольга Иванова", "Пётр Чайковский", "Мария Шарапова", "Анна Ахматова", "Лев Толстой"]
    data = "\n".join(["email,name", *(f"r{n}@x.org,{name}" for n, name in enumerate(names))]).encode("cp1251")
    assert [row.values["name"] for row in raw(data)] == names


def test_one_broken_letter_fails_its_row_and_spoils_no_other():
    rows = raw(b"email,name\na@x.org,Zo\xc3\xab\nb@x.org,\xc3\x9cn\xc3\xaf\nc@x.org,Z\xebo\nd@x.org,D\n")
    assert [bool(row.problem) for row in rows] == [False, False, True, False]
    assert rows[0].values["name"] == "Zoë"
    assert rows[2].problem
    assert "not UTF-8" in rows[2].problem
    assert rows[2].values["name"] == "Z\ufffdo"


def test_a_nul_fails_its_row_only():
    rows = raw(b"email,name\na@x.org,A\nb@x.org,B\0\nc@x.org,C\n")
    assert [bool(row.problem) for row in rows] == [False, True, False]
    assert rows[1].problem == "“name” holds a NUL character. Take it out."
    assert rows[1].values["name"] == "B\ufffd"


def test_ragged_rows_are_reported_and_keep_their_values():
    short, long, trailing, blank_ends = raw(
        "email,name,city\na@x.org,A\nb@x.org,B,Bonn,Berlin\nc@x.org,C,,,,\n\n,,\nd@x.org,,\n"
    )
    assert short.problem
    assert "2 values, the header 3 columns" in short.problem
    assert long.problem
    assert long.values["column 4"] == "Berlin"
    assert trailing.problem is None
    assert (blank_ends.number, blank_ends.line, blank_ends.problem) == (4, 7, None)


def test_blank_and_duplicate_headers_lose_no_column():
    upload = open_upload(b"\xef\xbb\xbf\n email ,Name,,NAME,name\na@x.org,A,B,C,D\n")
    assert upload.headers == ("email", "Name", "column 3", "NAME (2)", "name (3)")
    assert list(next(upload.rows()).values.values()) == ["a@x.org", "A", "B", "C", "D"]


def test_excels_own_delimiter_line_is_heeded():
    upload = open_upload(b"sep=;\r\nemail;name\r\na@x.org;A,B\r\n")
    assert upload.headers == ("email", "name")
    assert [(row.line, row.values["name"]) for row in upload.rows()] == [(3, "A,B")]


def test_limits_are_told(monkeypatch: pytest.MonkeyPatch):
    assert "larger than 64 MB" in refusal(b"x" * (uploads.LARGEST_FILE + 1))
    (big, after) = raw("email,name\na@x.org," + "x" * (records.LARGEST_FIELD + 1) + "\nb@x.org,B\n")
    assert big.problem
    assert "over 1,048,576 characters" in big.problem
    assert after.problem is None
    monkeypatch.setattr(uploads, "MOST_ROWS", 3)
    assert len(raw("email,name\n" + 'a@x.org,"A\nB"\n' * 3)) == 3
    assert "more than 3 rows" in refusal(b"email,subscribed_to_emails\n" + b"a@x.org,true\n" * 4)


@pytest.mark.parametrize("line", ['a@x.org,"\n', '","",\n', '"a\n', '""x,"\n', 'a,"""\n', '"" "\n'])
def test_quotes_left_open_everywhere_stay_linear(line: str):
    data = ("email,name\n" + line * 20_000 + "b@x.org,B\n").encode()
    begin = time.perf_counter()
    rows = raw(data)
    assert time.perf_counter() - begin < 20
    assert rows


def test_a_thousand_columns_are_taken_and_no_more():
    """Each of one name: naming them takes no time to speak of."""
    row = ",".join(["a@x.org"] + ["1"] * 999)
    upload = open_upload(("email" + ",name" * 999 + f"\n{row}\n").encode())
    assert upload.headers[-2:] == ("name (998)", "name (999)")
    assert "names 1,001 columns; 1,000 are taken" in refusal(b"email" + b",name" * 1000 + b"\na@x.org\n")
    begin = time.perf_counter()
    assert "over 100,000 values" in refusal(b"email" + b",name" * 300_000 + b"\na@x.org\n")
    assert time.perf_counter() - begin < 5


def test_a_row_of_very_many_values_fails_alone():
    first, second, third = raw(
        "email,name\n" + "a@x.org" + ",1" * 200_000 + "\nb@x.org" + ",1" * 5000 + "\nc@x.org,C\n"
    )
    assert first.problem
    assert "over 100,000 values" in first.problem
    assert second.problem
    assert "5001 values" in second.problem
    assert len(second.values) == 1000
    assert third.problem is None
