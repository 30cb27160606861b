"""The exports of other products, each in its own layout (formats F1 to F4; field cases E)."""

from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from app.imports.formats import guessed, read
from app.imports.rows import ImportedRow
from app.imports.uploads import UploadError

DATA = Path(__file__).parents[1] / "data"


def rows_of(text: str | bytes, format: str = "auto", **more) -> list[ImportedRow]:
    data = text.encode() if isinstance(text, str) else text
    return list(read(data, format, **more).rows)


def state(row: ImportedRow) -> str:
    assert row.problem is None
    return row.state


@pytest.mark.parametrize(
    ("name", "format", "states", "paying"),
    [
        ("ghost-members.csv", "ghost", {"active": 1846, "unsubscribed": 154}, 150),
        ("substack-subscribers.csv", "substack", {"active": 570, "unsubscribed": 30}, 63),
        ("mailchimp-subscribed.csv", "mailchimp", {"active": 500}, 0),
        ("mailchimp-unsubscribed.csv", "mailchimp", {"unsubscribed": 50}, 0),
        ("mailchimp-cleaned.csv", "mailchimp", {"suppressed": 20}, 0),
        ("beehiiv-subscribers.csv", "beehiiv", {"active": 249, "unsubscribed": 29, "pending": 22}, 146),
    ],
)
def test_a_real_layout_gives_everybody_with_the_state_they_had(
    name: str, format: str, states: dict, paying: int
) -> None:
    """F1, F2: the counts of the sample files."""
    reading = read((DATA / name).read_bytes())
    rows = list(reading.rows)
    assert reading.format == format
    assert not [row.problem for row in rows if row.problem]
    assert Counter(row.state for row in rows) == states
    assert sum(bool(row.paid) for row in rows) == paying


SUBSTACK = {
    "a": "email,active_subscription,expiry,email_disabled,prefer_digests,created_at\n",
    "b": "email,active_subscription,expiry,plan,email_disabled,created_at,first_payment_at\n",
    "c": "Email,Name,Stripe plan,Cancel date,Start date,Paid upgrade date,Activity,Type\n",
    "d": "email,expiry,email_disabled,prefer_digests,stripe_connected_customer_id,type\n",
}


def test_substack_is_read_in_all_four_layouts() -> None:
    """F2, F3: and who pays is known in each."""
    (a,) = rows_of(SUBSTACK["a"] + "a@x.example,true,2150-01-01T00:00:00Z,false,false,2024-01-02T03:04:05Z\n")
    (b,) = rows_of(
        SUBSTACK["b"] + "b@x.example,true,2027-01-01T00:00:00Z,annual,true,2024-01-02T00:00:00Z,\n"
    )
    (c,) = rows_of(SUBSTACK["c"] + "c@x.example,Cleo,Yearly,,2024-01-02,,3,Paid\n")
    d, free = rows_of(
        SUBSTACK["d"] + "d@x.example,2199-01-01,false,false,cus_9,comp\ne@x.example,,false,false,,free\n"
    )
    assert [state(one) for one in (a, b, c, d, free)] == [
        *("active", "unsubscribed", "pending", "active", "active")
    ]
    assert (c.says_nothing, c.name) == (True, "Cleo")
    assert [one.paid[0].ends_at for one in (a, d)] == [None, None]
    assert b.paid[0].ends_at
    assert (b.paid[0].ends_at.year, d.paid[0].reference, free.paid) == (2027, "cus_9", ())
    assert "prefer_digests" in a.extra


def test_who_asked_substack_to_be_deleted_is_left_out() -> None:
    (row,) = rows_of(SUBSTACK["a"] + "x1@deletion-request.substack.com,false,,false,false,\n")
    assert row.left_out
    assert row.problem


MAILCHIMP = "MEMBER_RATING,OPTIN_TIME,CONFIRM_TIME,LEID,EUID,NOTES,TAGS\n"


def test_mailchimp_s_columns_may_be_named_in_any_language() -> None:
    (row,) = rows_of(
        "Deine E-Mail Adresse,Vorname,"
        + MAILCHIMP
        + 'a@x.example,Zoë,2,2024-01-02 03:04:05,,1,2,hm,"""A, B"",""C"""\n'
    )
    assert (row.email, row.name, row.tags, row.note) == ("a@x.example", "Zoë", ("A, B", "C"), "hm")
    assert (state(row), row.joined_at and row.joined_at.year) == ("active", 2024)


def test_a_mailchimp_contact_who_never_opted_in_is_not_mailed() -> None:
    """F2."""
    (row,) = rows_of("Email Address," + MAILCHIMP + "a@x.example,2,,,1,2,,\n")
    assert (state(row), row.says_nothing) == ("pending", True)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        *(("active", "active"), ("inactive", "unsubscribed"), ("pending", "pending")),
        *(("invalid", "suppressed"), ("ACTIVE", "active")),
    ],
)
def test_beehiiv_s_words(said: str, expected: str) -> None:
    (row,) = rows_of(f"email,status,tier,unsubscribed_at\na@x.example,{said},free,\n")
    assert (state(row), row.says_nothing) == (expected, False)


def test_a_beehiiv_reader_who_left_at_a_time_has_left() -> None:
    (row,) = rows_of(
        "Email,Status,Created At,Subscription Tier,unsubscribed_at\na@x.example,active,,premium,2024\n"
    )
    assert (state(row), row.paid[0].plan) == ("unsubscribed", "Premium")


@pytest.mark.parametrize(
    ("said", "expected", "block"),
    [
        ("active", "active", "bounce"),
        ("inactive", "pending", "bounce"),
        ("cancelled", "unsubscribed", "bounce"),
        ("bounced", "suppressed", "bounce"),
        ("complained", "suppressed", "complaint"),
    ],
)
def test_kit_s_words(said: str, expected: str, block: str) -> None:
    (row,) = rows_of(
        f'first_name,email_address,state,created_at,tags\nAnna,a@x.example,{said},2024-01-02,"one, two"\n'
    )
    assert (state(row), row.block, row.name, row.tags) == (expected, block, "Anna", ("one", "two"))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        *(("regular", "active"), ("premium", "active"), ("gifted", "active"), ("unactivated", "pending")),
        *(("unsubscribed", "unsubscribed"), ("removed", "unsubscribed"), ("paused", "unsubscribed")),
        *(("undeliverable", "suppressed"), ("complained", "suppressed"), ("blocked", "suppressed")),
        *(("past_due", "pending"), ("churned", "pending")),
    ],
)
def test_buttondown_s_words(said: str, expected: str) -> None:
    row, older = rows_of(
        f'email_address,type,creation_date,tags\na@x.example,{said},2024-01-02,"[""x"",""y""]"\n'
    ) + rows_of(f"email,subscriber_type\na@x.example,{said}\n")
    assert (state(row), row.tags) == (expected, ("x", "y"))
    assert state(older) == expected
    assert bool(row.paid) == (said in ("premium", "gifted"))


@pytest.mark.parametrize(
    "columns", ["email,status,tier", "email,state,created_at,tags", "email,subscriber_type"]
)
def test_a_word_that_no_export_has_fails_its_row(columns: str) -> None:
    """F2: never guessed in favour of mailing."""
    (row,) = rows_of(
        f"{columns}\na@x.example,perhaps,{',' * (columns.count(',') - 1)}\n".replace(",\n", "\n")
    )
    assert row.problem
    assert "“perhaps”" in row.problem


def test_any_table_is_read_by_what_its_columns_are_called() -> None:
    data = "E-Mail;Vorname;Nachname;Subscribed;Tags;Shoe size\na@x.example;Zoë;Ek;yes;one, two;42\n"
    data += "b@x.example;;;;;\n"
    first, second = rows_of(data)
    assert (first.name, state(first), first.tags, first.extra) == (
        *("Zoë Ek", "active", ("one", "two")),
        {"Shoe size": "42"},
    )
    assert (state(second), second.says_nothing) == ("pending", True)


def test_a_mapping_says_what_the_columns_are() -> None:
    data = "a,b,c\nx,anna@x.example,no\n"
    (row,) = rows_of(data, mapping={"email": "b", "name": "a", "state": "c"})
    assert (row.email, row.name, state(row), row.extra) == ("anna@x.example", "x", "unsubscribed", {})


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"name": "a"}, "which column holds the addresses"),
        ({"email": "z"}, "no column “z”"),
        ({"email": "a", "name": "a"}, "chosen twice"),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(mapping: dict, words: str) -> None:
    with pytest.raises(UploadError, match=words):
        rows_of("a,b\n1,2\n", mapping=mapping)


def test_guesses_name_each_field_once() -> None:
    assert guessed(["Email Address", "First Name", "Name", "Status", "Created At"]) == {
        "email": "Email Address",
        "name": "Name",
        "first_name": "First Name",
        "state": "Status",
        "joined_at": "Created At",
    }


def test_whoever_left_in_any_row_has_left_in_the_first() -> None:
    """F2, F4: whole-file deduplication."""
    first, second = rows_of("email,status\nA@x.example,subscribed\na@X.example,unsubscribed\n")
    assert (state(first), second.duplicate_of) == ("unsubscribed", 1)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfemail,name\r\na@x.example,Zo\xc3\xab\r\n",
        "email,name\na@x.example,Zoë\n".encode("utf-16"),
        "email,name\na@x.example,Zoë\n".encode("utf-16-le"),
        b"email;name\ra@x.example;Zo\xeb\r",
    ],
)
def test_excel_s_encodings_are_read_as_written(data: bytes) -> None:
    """Field cases E: BOM, UTF-16, Windows-1252, semicolons, old line ends."""
    (row,) = rows_of(data)
    assert (row.email, row.name) == ("a@x.example", "Zoë")


def test_one_column_in_utf_16_is_read() -> None:
    """Field case E: a one-column file in another encoding."""
    (row,) = rows_of("email\r\na@x.example\r\n".encode("utf-16-le"))
    assert row.email == "a@x.example"


def test_twenty_columns_more_are_kept() -> None:
    """Field case E: a foreign export with 20 extra columns, a quoted line break in one."""
    more = [f"col{n}" for n in range(20)]
    (row,) = rows_of(f'email,{",".join(more)}\na@x.example,"two\nlines",{",".join("x" * 19)}\n')
    assert row.extra["col0"] == "two\nlines"
    assert len(row.extra) == 20


def test_days_are_read_as_people_write_them() -> None:
    days = [
        "2024-03-24",
        "2024/03/24",
        "24 Mar 2024",
        "March 24, 2024",
        "24.03.2024",
        "2024-03-24 10:23:10 UTC",
    ]
    rows = rows_of("email,joined\n" + "".join(f'a{n}@x.example,"{day}"\n' for n, day in enumerate(days)))
    assert {(at.month, at.day) for row in rows if isinstance(at := row.joined_at, datetime)} == {(3, 24)}
    (unclear,) = rows_of("email,joined\na@x.example,03/04/2024\n")
    assert (unclear.joined_at, unclear.extra) == (None, {"joined": "03/04/2024"})
