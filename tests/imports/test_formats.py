"""A file becomes rows: none dropped, none guessed, every fault named (promises F1 to F5)."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.imports.formats import detect, read
from app.imports.rows import ImportedRow
from app.imports.uploads import UploadError

DATA = Path(__file__).parents[1] / "data"
GHOST = (
    "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id"
    ",created_at,deleted_at,labels,tiers"
)


def sample(name: str) -> bytes:
    return (DATA / name).read_bytes()


def members(*rows: str, header: str = "email,name,note,subscribed_to_emails,labels") -> list[ImportedRow]:
    return list(read("\n".join([header, *rows]).encode()).rows)


def refusal(data: bytes, format: str = "auto") -> str:
    with pytest.raises(UploadError) as error:
        list(read(data, format).rows)
    assert error.value.status == 422
    return error.value.detail


def test_a_ghost_export_gives_every_member_with_the_state_they_had():
    """F1, F2, F3: the 2,000 members of a real layout."""
    reading = read(sample("ghost-members.csv"))
    rows = list(reading.rows)
    assert (reading.format, reading.encoding, reading.delimiter) == ("ghost", "utf-8", ",")
    assert reading.headers == tuple(GHOST.split(","))
    assert [row.number for row in rows] == list(range(1, 2001))
    assert not [row.problem for row in rows if row.problem]
    assert Counter(row.state for row in rows) == {"active": 1846, "unsubscribed": 154}
    assert sum("stripe_customer_id" in row.extra for row in rows) == 116
    assert sum(row.extra["complimentary_plan"] == "true" for row in rows) == 35
    assert sum(not row.name for row in rows) == 200
    assert sum(row.extra.get("tiers") == "Supporter" for row in rows) == 470
    assert all(row.joined_at and row.joined_at.tzinfo and row.extra["id"] for row in rows)
    assert len({row.email for row in rows}) == 2000
    assert all(row.email.isascii() and row.email == row.email.lower() for row in rows)


def test_notes_keep_quotes_and_line_breaks_and_lose_the_formula_guard():
    notes = Counter(row.note for row in read(sample("ghost-members.csv")).rows)
    assert notes['said: "more essays"'] == 51
    assert notes["two\nlines"] == 51
    assert notes["=SUM(A1)"] == 44
    assert "'=SUM(A1)" not in notes


def test_labels_become_tags_each_once():
    rows = members('a@example.com,A,,true,"birds, long reads,Birds,,"', "b@example.com,B,,true,")
    assert rows[0].tags == ("birds", "long reads")
    assert rows[1].tags == ()


@pytest.mark.parametrize(
    ("written", "kept"),
    [("'=1+1", "=1+1"), ("'+49", "+49"), ("'-x", "-x"), ("'@me", "@me"), ("'tis", "'tis"), ("O'B", "O'B")],
)
def test_only_a_guarding_apostrophe_is_taken_off(written: str, kept: str):
    assert members(f"a@example.com,{written},,true,")[0].name == kept


def test_an_address_behind_the_guard_is_read():
    assert members("'+anna@example.com,A,,true,")[0].email == "+anna@example.com"


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("true", "active"),
        ("TRUE", "active"),
        ("1", "active"),
        ("false", "unsubscribed"),
        ("No", "unsubscribed"),
    ],
)
def test_a_member_has_the_state_the_file_says(said: str, state: str):
    assert members(f"a@example.com,A,,{said},")[0].state == state


def test_a_state_that_the_file_does_not_say_is_never_active():
    """F2."""
    blank, strange = members("a@example.com,A,,,", "b@example.com,B,,perhaps,")
    assert (blank.state, blank.problem) == ("pending", None)
    assert strange.state == "pending"
    assert strange.problem
    assert "“perhaps”. Write true or false" in strange.problem


def test_a_deleted_member_is_unsubscribed_and_kept():
    """F2."""
    header = "email,subscribed_to_emails,deleted_at"
    (row,) = members("a@example.com,true,2024-01-01T00:00:00.000Z", header=header)
    assert (row.state, row.problem) == ("unsubscribed", None)
    assert row.extra == {"deleted_at": "2024-01-01T00:00:00.000Z"}


def test_columns_are_found_in_any_case_and_order_and_the_unknown_ones_kept():
    """F3."""
    header = " Shoe size ,SUBSCRIBED_TO_EMAILS, Email ,Stripe_Customer_Id,Products"
    (row,) = members("42,true,A@Example.com,cus_1,Gold", header=header)
    assert (row.email, row.written) == ("a@example.com", "A@Example.com")
    assert row.extra == {"Shoe size": "42", "stripe_customer_id": "cus_1", "products": "Gold"}


def test_a_date_is_read_as_utc_and_one_that_cannot_be_is_kept():
    header = "email,subscribed_to_emails,created_at"
    good, bare, bad = members(
        "a@example.com,true,2021-09-22T03:13:17.000+02:00",
        "b@example.com,true,2021-09-22 01:13:17",
        "c@example.com,true,last spring",
        header=header,
    )
    assert good.joined_at == bare.joined_at == datetime(2021, 9, 22, 1, 13, 17, tzinfo=UTC)
    assert bad.joined_at is None
    assert bad.extra == {"created_at": "last spring"}
    assert bad.problem is None


def test_a_second_row_of_an_address_names_the_first():
    """F4: in any spelling."""
    rows = members(
        "nobody,X,,true,",
        "Anna@bücher.example,A,,true,",
        "anna@XN--BCHER-KVA.example,B,,false,",
        "b@x.org,B,,true,",
    )
    assert [row.duplicate_of for row in rows] == [None, None, 2, None]
    assert rows[2].problem
    assert "Row 2 has the same address" in rows[2].problem
    assert rows[2].state == "unsubscribed"  # what it says about mailing must not be lost


def test_a_row_that_failed_does_not_stand_in_the_way_of_a_good_one():
    """F4."""
    bad, good = members("a@example.com,A,,perhaps,", "a@example.com,A,,true,")
    assert bad.problem
    assert bad.duplicate_of is None
    assert good.problem is None


def test_a_row_without_a_usable_address_says_so_and_keeps_what_was_written():
    none, wrong, long = members(",A,,true,", "not-an-address,B,,true,", f"c@example.com,{'x' * 201},,true,")
    assert (none.email, wrong.email, wrong.written) == ("", "", "not-an-address")
    assert none.problem
    assert "has no address" in none.problem
    assert wrong.problem
    assert "has no @" in wrong.problem
    assert long.problem
    assert "201 characters" in long.problem


def test_each_export_is_known_by_its_columns():
    assert detect(GHOST.split(",")) == "ghost"
    assert detect(["Email", "Subscribed_To_Emails"]) == "ghost"
    assert detect(["Email Address", "First Name"]) == "csv"
    assert detect(["Name", "Age"]) is None
    assert detect([]) is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"first,last\nA,B\n", ["no column with addresses", "Name one of them", "Found: first, last"]),
        (b"a@example.com,true\nb@example.com,true\n", ["address where the column names should be"]),
        (b"id,title,slug\n1,Hi,hi\n", ["no column with addresses"]),
    ],
)
def test_a_csv_of_another_kind_is_refused_with_what_was_expected_and_found(data: bytes, words: list[str]):
    for wanted in ("auto", "csv"):
        assert all(word in refusal(data, wanted) for word in words)
    other = refusal(b"Email Address,First Name\na@example.com,A\n", "ghost")
    assert all(
        word in other for word in ("not a Ghost members export", "missing: email, subscribed", "Found")
    )


def test_an_unknown_format_is_refused_by_name():
    assert "“tinyletter” yet" in refusal(b"email,name\na@example.com,A\n", "tinyletter")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \r\n\n", "is empty"),
        (b"\xef\xbb\xbf\n", "nothing but blank lines"),
        (b"email,subscribed_to_emails\n", "no rows below it"),
        (b"PK\x03\x04\x14\0[Content_Types].xml xl/workbook.xml", "Excel workbook (.xlsx)"),
        (b"PK\x03\x04\x14\0posts.csv", "zip archive; unpack it"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old Excel workbook"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "picture (PNG)"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"\x1f\x8b\x08\0", "gzip"),
        (b"<!DOCTYPE html><html></html>", "web page"),
        (b'{"db": [{"meta": {}}]}', "JSON"),
        (bytes(range(256)) * 20, "no text"),
        (b"em\0ail,name\na@x.org,A\n", "header on line 1 is not text"),
        (b'"email,name\na@x.org,A\n', "header on line 1 cannot be read"),
    ],
)
def test_what_is_no_table_of_readers_is_refused_in_a_sentence(data: bytes, words: str):
    assert words in refusal(data)
