"""Each automatic mail that there is: what it needs, and its folder in templates/email/.

| mail                 | when                                     | to whom              | unsure            |
|----------------------|------------------------------------------|----------------------|-------------------|
| sign_in_code         | somebody asks for a code                 | a creator            | again, twice most |
| reader_code          | somebody asks for a code on a site       | a reader             | again, twice most |
| confirm_subscription | somebody asks to subscribe               | whoever was named    | again             |
| subscribed_already   | the address has it all already           | the reader           | again             |
| welcome              | the first confirmation of a newsletter   | the reader           | held for a person |
| team_notice          | an email or a webhook needs a person     | the team             | again             |
| team_invitation      | an owner invites somebody into the team  | whoever was invited  | again             |
| test_mail            | somebody tries a draft                   | whoever asks         | again             |
| own                  | a program asks for it (`POST /messages`) | the address it gives | held for a person |

What goes to an address that nobody confirmed says nothing that whoever asked could have typed: a form
would be a way to mail strangers one's own words. An invitation names the publication and who invites, since
nobody could tell otherwise what it is about; it is for owners alone, and a day's number is limited.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar


@dataclass(frozen=True)
class SignInCode:
    """A six-digit code for a creator; `link` opens the page with the code filled in, and a button."""

    template: ClassVar[str] = "sign_in_code"

    to: str
    code: str
    minutes: int
    link: str
    expires_at: datetime


@dataclass(frozen=True)
class TeamNotice:
    """What a team is told by mail: a sentence as the subject, what there is to know, one link."""

    template: ClassVar[str] = "team_notice"

    to: str
    subject: str
    lines: tuple[str, ...]
    link: str
    link_words: str
    publication: str


@dataclass(frozen=True)
class TeamInvitation:
    """Asks somebody into a team; `link` opens a page with a button, and lets nobody in by itself."""

    template: ClassVar[str] = "team_invitation"

    to: str
    publication: str
    inviter: str
    inviter_email: str
    role: str
    days: int
    link: str


@dataclass(frozen=True)
class Signed:
    """What every mail of a publication to a reader carries: who signs it, whose it is.

    `sender` is the From header's value.
    """

    to: str
    sender: str
    reply_to: str | None
    publication: str
    site_url: str
    postal_address: str


@dataclass(frozen=True)
class ReaderCode(Signed):
    """A six-digit code for a reader; `link` opens a page with a button that lets them in."""

    template: ClassVar[str] = "reader_code"

    code: str
    minutes: int
    link: str
    expires_at: datetime


@dataclass(frozen=True)
class ConfirmSubscription(Signed):
    """Asks whoever has the address whether they want these newsletters; `link` opens a page with a button."""

    template: ClassVar[str] = "confirm_subscription"

    newsletters: tuple[str, ...]
    link: str
    days: int


@dataclass(frozen=True)
class SubscribedAlready(Signed):
    """Tells a reader that they get all of it already; `link` leads to where they change it."""

    template: ClassVar[str] = "subscribed_already"

    newsletters: tuple[str, ...]
    link: str


@dataclass(frozen=True)
class Welcome(Signed):
    """A newsletter's first mail, in the creator's words; `html` and `text` are safe and filled."""

    template: ClassVar[str] = "welcome"

    newsletter: str
    subject: str
    html: str
    text: str
    unsubscribe_url: str
    preferences_url: str


ToReader = ReaderCode | ConfirmSubscription | SubscribedAlready | Welcome
Message = SignInCode | TeamNotice | TeamInvitation | ToReader


@dataclass(frozen=True)
class Entry:
    """One mail of the catalogue, as the studio tells it. `specimen` fills its preview."""

    name: str
    title: str
    when: str
    to_whom: str
    unsure: str
    lets_in: bool = False
    repeatable: bool = False
    specimen: Mapping[str, Any] | None = None


_TIDELINES: Mapping[str, Any] = {
    "publication": "Tidelines",
    "site_url": "https://tidelines.example",
    "postal_address": "Strandvägen 1, 621 55 Visby, Sweden",
}

CATALOGUE: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "sign_in_code",
            "Sign-in code",
            "when somebody asks for a code to sign in",
            "the team member who signs in with the address",
            "sent again at once, the same code, twice at most and never past its ten minutes",
            lets_in=True,
            repeatable=True,
            specimen={"code": "004217", "minutes": 10, "link": "https://studio.example/sign-in/code"},
        ),
        Entry(
            "reader_code",
            "Sign-in code of a reader",
            "when somebody asks for a code on the site",
            "the reader who signs in with the address",
            "sent again at once, the same code, twice at most and never past its ten minutes",
            lets_in=True,
            repeatable=True,
            specimen={
                **_TIDELINES,
                "code": "004217",
                "minutes": 10,
                "link": "https://tidelines.example/sign-in/by-link",
            },
        ),
        Entry(
            "confirm_subscription",
            "Confirm a subscription",
            "when somebody asks to subscribe",
            "the address that was given, which nobody has confirmed yet",
            "sent again",
            lets_in=True,
            repeatable=True,
            specimen={
                **_TIDELINES,
                "newsletters": ("Tidelines", "Field notes"),
                "link": "https://tidelines.example/confirm/…",
                "days": 7,
            },
        ),
        Entry(
            "subscribed_already",
            "Subscribed already",
            "when somebody asks to subscribe who gets all of it already",
            "the reader",
            "sent again",
            repeatable=True,
            specimen={
                **_TIDELINES,
                "newsletters": ("Tidelines",),
                "link": "https://tidelines.example/me",
            },
        ),
        Entry(
            "welcome",
            "Welcome",
            "once for each newsletter, when a reader confirms; its words are in the newsletter's settings",
            "the reader",
            "held until somebody decides whether to send it again",
            specimen={
                **_TIDELINES,
                "newsletter": "Tidelines",
                "subject": "Welcome aboard",
                "html": "<p>Good that you are here. The next letter comes on Sunday.</p>",
                "text": "Good that you are here. The next letter comes on Sunday.",
                "unsubscribe_url": "https://tidelines.example/unsubscribe/…",
                "preferences_url": "https://tidelines.example/me",
            },
        ),
        Entry(
            "team_notice",
            "Note to the team",
            "when an email is finished or needs somebody, what was scheduled could not go out, or a webhook"
            " was switched off",
            "the team of the publication",
            "sent again",
            repeatable=True,
            specimen={
                "subject": "The bird is out: 1,846 sent",
                "lines": ("It reached 1,846 of 1,846 readers.", "Our books and the provider's agree."),
                "link": "https://studio.example/studio/tidelines/broadcasts",
                "link_words": "Open the email",
                "publication": "Tidelines",
            },
        ),
        Entry(
            "team_invitation",
            "Invitation into the team",
            "when an owner invites somebody into the team",
            "the address that was invited",
            "sent again",
            repeatable=True,
            specimen={
                "publication": "Tidelines",
                "inviter": "Anna Lind",
                "inviter_email": "anna@tidelines.example",
                "role": "editor",
                "days": 7,
                "link": "https://studio.example/invitations/…",
            },
        ),
        Entry(
            "test_mail",
            "Test of an email",
            "when somebody at the desk mails a draft to themselves",
            "the team member who asks, marked [Test]",
            "sent again",
            repeatable=True,
        ),
        Entry(
            "own",
            "Mail of a program of yours",
            "when a program asks for it with an API key",
            "the address that the program gives",
            "held until somebody decides whether to send it again",
        ),
    )
}
