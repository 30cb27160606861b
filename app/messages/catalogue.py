"""Each automatic mail that there is: what it needs, and its folder in templates/email/.

| mail         | when                                     | to whom              | unsure            |
|--------------|------------------------------------------|----------------------|-------------------|
| sign_in_code | somebody asks for a code                 | a creator            | again, twice most |
| team_notice  | an email is finished, or needs a person  | the team             | again             |
| own          | a program asks for it (`POST /messages`) | the address it gives | held for a person |
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


Message = SignInCode | TeamNotice


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
            "team_notice",
            "Note to the team",
            "when an email is finished, or needs somebody to decide",
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
            "own",
            "Mail of a program of yours",
            "when a program asks for it with an API key",
            "the address that the program gives",
            "held until somebody decides whether to send it again",
        ),
    )
}
