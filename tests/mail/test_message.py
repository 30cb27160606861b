"""The bytes of a mail, read back by the standard library's parser: an independent reader."""

import re
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import default
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.base.fields import blank, mark
from app.mail import Mail, UnmailableAddress, to_bytes
from tests.mail.makers import DATE, make_mail

LONG_LINK = f"<https://bird.localhost:8000/unsubscribe/{'a1b2c3d4' * 20}>"
PLACEHOLDERS = "A literal %recipient.name% and a literal {{ name }}, exactly as written: 5 < 7 & é 🐦 سلام"


def read(mail: Mail) -> EmailMessage:
    return cast(EmailMessage, message_from_bytes(to_bytes(mail, DATE), policy=cast(Any, default)))


def addresses(mail: Mail, header: str) -> tuple[Address, ...]:
    return read(mail)[header].addresses


def test_a_long_list_unsubscribe_is_one_literal_line() -> None:
    """Promise 1 of app.mail; RFC 8058. The standard library would fold it into encoded words."""
    assert len(LONG_LINK) > 160
    one_click = ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
    lines = to_bytes(make_mail(headers=(("List-Unsubscribe", LONG_LINK), one_click)), DATE).split(b"\r\n")
    assert f"List-Unsubscribe: {LONG_LINK}".encode() in lines
    assert b"List-Unsubscribe-Post: List-Unsubscribe=One-Click" in lines


def test_every_line_ends_in_crlf_and_fits() -> None:
    raw = to_bytes(
        make_mail(subject="🐦" * 200, to_name="é" * 90, text="x" * 5000, html="<p>é</p>\r\n\n"), DATE
    )
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert b"\r" not in raw.replace(b"\r\n", b"")
    assert max(len(line) for line in raw.split(b"\r\n")) <= 78


@pytest.mark.parametrize(
    "subject",
    [
        "Plain",
        "A bird 🐦 that does not land, an accent é, and سلام",
        "🐦" * 120,
        "word " * 60,
        "=?utf-8?q?=0ABcc=3A_evil=40example.com?=",
        "two  spaces and a \ttab",
        "",
    ],
)
def test_a_subject_comes_back_as_written(subject: str) -> None:
    assert read(make_mail(subject=subject))["subject"].replace("\t", " ") == subject.strip().replace(
        "\t", " "
    )


@pytest.mark.parametrize(
    "name",
    [
        "Anna",
        "Anna Smith, Ltd.",
        'O"Brien \\ (x)',
        "Evil <evil@example.com>",
        "evil@example.com",
        "=?utf-8?q?Evil_=3Cevil=40example=2Ecom=3E=2C?=",
        "Zoë <evil@example.com>, ",
        "=?utf-8?b?PGV2aWxAZXhhbXBsZS5jb20+?=",
        "a, b; <c@d.example>: " * 12,
        "é" * 200,
    ],
)
def test_no_display_name_passes_for_an_address(name: str) -> None:
    """Field case F: decoding and refolding a name must not expose an address in it."""
    mail = make_mail(
        to_name=name, sender=f"{name} <post@example.org>", reply_to=f"{name} <reply@example.org>"
    )
    for header, right in [("to", mail.to), ("from", "post@example.org"), ("reply-to", "reply@example.org")]:
        found = addresses(mail, header)
        assert [address.addr_spec for address in found] == [right]
        # Python 3.11 puts a space between adjacent encoded words of a name, against RFC 2047.
        assert found[0].display_name.replace(" ", "") == name.replace(" ", "")
        refolded = message_from_bytes(read(mail).as_bytes(), policy=cast(Any, default))
        assert [address.addr_spec for address in refolded[header].addresses] == [right]


@given(st.text(max_size=120), st.text(max_size=200))
def test_whatever_stands_in_name_and_subject_the_address_is_ours(name: str, subject: str) -> None:
    try:
        raw = to_bytes(make_mail(to_name=name, subject=subject), DATE)
    except ValueError:
        return
    assert raw.split(b"\r\n\r\n")[0].lower().count(b"\r\nto:") == 1
    head = message_from_bytes(raw, policy=cast(Any, default))
    assert [address.addr_spec for address in head["to"].addresses] == ["anna@example.com"]
    assert head["bcc"] is None


@pytest.mark.parametrize(
    "bad", ["a\nBcc: evil@example.com", "a\r\nX: y", "a\rb", "a\x00b", "a\u2028b", "a\x85b"]
)
@pytest.mark.parametrize("where", ["subject", "to_name", "sender", "reply_to", "to", "message_id", "header"])
def test_a_line_break_in_a_header_is_refused(bad: str, where: str) -> None:
    changes: dict[str, Any] = {where: bad}
    if where in ("sender", "reply_to"):
        changes = {where: f"{bad} <post@example.org>"}
    elif where == "header":
        changes = {"headers": (("X-Note", bad),)}
    with pytest.raises(ValueError, match=r"line break|not one mail address"):
        to_bytes(make_mail(**changes), DATE)


@pytest.mark.parametrize("name", ["From", "bcc", "Content-Type", "X Y", "X:Y", "X\r\nY", "", "é"])
def test_a_header_that_is_not_theirs_to_set_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="header"):
        to_bytes(make_mail(headers=((name, "value"),)), DATE)


@pytest.mark.parametrize(
    "address", ["zoë@example.com", "anna@bücher.example", "a b@c.example", "a@b@c", "a,b@c"]
)
def test_an_address_that_no_mail_can_go_to_is_named(address: str) -> None:
    with pytest.raises(UnmailableAddress, match=re.escape(address)):
        to_bytes(make_mail(to=address), DATE)


@pytest.mark.parametrize(
    "address", ['"anna smith"@example.com', "o'brien+news@xn--bcher-kva.example", "a@localhost"]
)
def test_unusual_addresses_are_kept(address: str) -> None:
    assert [found.addr_spec for found in addresses(make_mail(to=address), "to")] == [address]


@pytest.mark.parametrize(
    "text", [PLACEHOLDERS, PLACEHOLDERS * 90, "سلام " * 400 + PLACEHOLDERS, ".\nFrom x\n= \n \tz"]
)
def test_placeholders_and_text_arrive_exactly_as_written(text: str) -> None:
    mail = read(make_mail(text=text, html=f"<p>{text}</p>"))
    plain, html = mail.get_payload()[0], mail.get_payload()[1]  # type: ignore[index]
    for part, right in [(plain, text), (html, f"<p>{text}</p>")]:
        assert part.get_payload(decode=True).decode().replace("\r\n", "\n") == right + "\n"
    assert mail.get_content_type() == "multipart/alternative"
    assert [plain.get_content_type(), html.get_content_type()] == ["text/plain", "text/html"]


def test_without_html_it_is_one_plain_part() -> None:
    mail = read(make_mail(html=None, text="Your code is 123456"))
    assert mail.get_content_type() == "text/plain"
    assert mail.get_content().replace("\r\n", "\n") == "Your code is 123456\n"


@pytest.mark.parametrize("where", ["subject", "text", "html", "to_name"])
def test_a_mail_with_an_unfilled_field_does_not_leave(where: str) -> None:
    for left in (mark("Hello {first_name}"), blank("unsubscribe_url")):
        with pytest.raises(ValueError, match="unfilled"):
            to_bytes(make_mail(**{where: left}), DATE)


def test_the_same_mail_has_the_same_bytes() -> None:
    """L6."""
    mail = make_mail()
    assert to_bytes(mail, DATE) == to_bytes(mail, DATE)
    assert read(mail)["message-id"] == mail.message_id
    assert read(mail)["date"].datetime == DATE


def test_a_list_id_keeps_its_brackets_with_a_name_in_any_script() -> None:
    raw = to_bytes(make_mail(headers=(("List-Id", "Vögel <bird.bird.localhost>"),)), DATE)
    assert b"List-Id: =?utf-8?b?VsO2Z2Vs?= <bird.bird.localhost>\r\n" in raw
