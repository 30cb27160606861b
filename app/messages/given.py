"""A mail that a program asks for: what it gave, checked as it would leave, and queued."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.base.errors import Invalid, Problem
from app.base.settings import settings
from app.mail import mailbox_header, split_sender, to_bytes
from app.messages.outbox import FinishedMail, as_mail, finished, queue_finished
from app.messages.outgoing import message_of_key
from app.messages.plaintext import plain_text
from app.messages.rendering import RenderedMessage

LONGEST_SUBJECT = 500  # characters
LONGEST_BODY = 500_000  # octets of text, and of HTML
MOST_HEADERS = 30
LONGEST_HEADER = 2000  # characters
LONGEST_KEY = 255
#: Set on the way by those who carry the mail, or by nobody: a program that gave them would be lying.
_NOT_GIVEN = ("received", "return-path", "dkim-signature", "delivered-to", "authentication-results")


@dataclass(frozen=True)
class GivenMail:
    """What was asked for, not checked yet."""

    to: str
    subject: str
    text: str
    html: str | None
    headers: Mapping[str, str]
    key: str | None


@dataclass(frozen=True)
class Signature:
    """Who signs an account's mails: the name before the platform's address, and who reads the answers."""

    name: str
    reply_to: str | None

    @property
    def sender(self) -> str:
        """The From header's value."""
        name, address = split_sender(settings().mail.sender)
        return mailbox_header(self.name or name, address).replace("\r\n", "")


async def queue_given(tx: Tx, given: GivenMail, signature: Signature) -> tuple[int, bool]:
    """Queue it: the message's id, and whether it is new. A known key answers the first one, for good (M1).

    Raises Invalid with everything that is wrong.
    """
    if given.key and (known := await message_of_key(tx, given.key)):
        return known, False
    mail = checked(given, signature)
    made = await queue_finished(tx, mail, name="own", key=given.key)
    if made is not None:
        return made, True
    assert given.key
    known = await message_of_key(tx, given.key)
    assert known is not None, "whoever had the key first has committed"
    return known, False


def checked(given: GivenMail, signature: Signature) -> FinishedMail:
    """The finished mail. Raises Invalid for what could not leave: found here, not by the first try."""
    problems = [*_body_problems(given), *_header_problems(given)]
    to = given.to
    try:
        to = canonical(given.to)
    except AddressError as error:
        problems.append(Problem("to", error.detail))
    if problems:
        raise Invalid(problems)
    text = given.text or plain_text(given.html or "")
    words = RenderedMessage(given.subject.strip(), text, given.html or None)
    mail = finished(
        to,
        words,
        sender=signature.sender,
        kind="message",
        reply_to=signature.reply_to,
        headers=tuple(given.headers.items()),
    )
    try:
        to_bytes(as_mail(mail, 0), mail.date)
    except ValueError as error:
        raise Invalid([Problem(_field_of(str(error)), f"This mail could not leave: {error}.")]) from error
    return mail


def _body_problems(given: GivenMail) -> list[Problem]:
    found: list[Problem] = []
    if not given.subject.strip():
        found.append(Problem("subject", "Give the mail a subject."))
    elif len(given.subject) > LONGEST_SUBJECT:
        found.append(Problem("subject", f"The most is {LONGEST_SUBJECT} characters."))
    if not given.text.strip() and not (given.html or "").strip():
        found.append(Problem("text", "Give the mail a text, HTML, or both."))
    for field, value in (("text", given.text), ("html", given.html or "")):
        if len(value.encode("utf-8", "replace")) > LONGEST_BODY:
            found.append(Problem(field, f"The most is {LONGEST_BODY // 1000} kB."))
    if given.key is not None and not 1 <= len(given.key) <= LONGEST_KEY:
        found.append(Problem("idempotency_key", f"Give 1 to {LONGEST_KEY} characters, or leave it out."))
    every = {"subject": given.subject, "text": given.text, "html": given.html or ""}
    for field, value in {**every, "idempotency_key": given.key or ""}.items():
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            found.append(Problem(field, "It holds a character that no mail can carry (NUL, or half of one)."))
    breaks = any(ord(letter) < 32 or letter in "\x7f\x85\u2028\u2029" for letter in given.subject)
    if breaks:
        found.append(Problem("subject", "The subject is one line, without control characters."))
    return found


def _header_problems(given: GivenMail) -> list[Problem]:
    found: list[Problem] = []
    if len(given.headers) > MOST_HEADERS:
        found.append(Problem("headers", f"The most is {MOST_HEADERS} headers."))
    if len({name.lower() for name in given.headers}) < len(given.headers):
        found.append(Problem("headers", "A header is there twice, written differently."))
    for name, value in given.headers.items():
        if name.lower() in _NOT_GIVEN or name.lower().startswith(("resent-", "arc-")):
            found.append(Problem("headers", f"{name} is set by those who carry the mail."))
        elif len(value) > LONGEST_HEADER:
            found.append(Problem("headers", f"{name} is longer than {LONGEST_HEADER} characters."))
        elif any(ord(letter) < 32 or letter in "\x7f\x85\u2028\u2029" for letter in name + value):
            found.append(Problem("headers", f"{name!r} holds a line break or control character."))
    return found


def _field_of(words: str) -> str:
    return "to" if "address" in words or "local part" in words else "headers" if "header" in words else ""
