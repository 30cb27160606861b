"""The team's pages and those of API keys, and what somebody who is invited sees."""

import re

from playwright.sync_api import Locator, expect

from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor


class Team:
    """Who is on it, and who is invited."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor

    def open(self) -> None:
        """The page of the team."""
        self.studio.open("team")

    def invite(self, email: str, role: str) -> None:
        """Send an invitation, and read that it is on its way."""
        self.visitor.fill("Email address", email)
        self.visitor.page.get_by_role("radio", name=role).check()
        self.visitor.press("Send the invitation")
        self.visitor.ready()
        expect(self.visitor.status()).to_contain_text(f"{email} is invited as {role.lower()}")

    def member(self, name: str) -> Locator:
        """Their row."""
        return self.visitor.page.get_by_role("table", name="Members").get_by_role("row").filter(has_text=name)

    def change(self, name: str) -> None:
        """Open the page of a member."""
        self.visitor.follow(re.compile(f"^Change {name}"))

    def role(self, role: str) -> None:
        """Give the member whose page is open another role."""
        self.visitor.page.get_by_role("radio", name=role).check()
        self.visitor.press("Save")
        self.visitor.ready()

    def remove(self, name: str) -> None:
        """Take the member whose page is open off the team."""
        self.visitor.press(f"Remove {name}")
        self.visitor.ready()


class Keys:
    """The API keys of a publication."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor

    def make(self, name: str) -> str:
        """A new key, as it is shown this once; the list is open afterwards."""
        self.studio.open("keys")
        self.visitor.fill("What it is for", name)
        self.visitor.press("Make the key")
        key = self.visitor.box("API key")
        expect(key).to_have_value(re.compile("^gdw_"))
        shown = key.input_value()
        self.visitor.follow("I have copied it")
        return shown

    def revoke(self, name: str) -> None:
        """Take a key back."""
        self.visitor.follow(re.compile(f"^Revoke {name}"))
        self.visitor.press("Revoke the key")
        self.visitor.ready()


def take_invitation(visitor: Visitor, email: str, name: str) -> None:
    """The whole way from the mail to the studio: link, name, code, button."""
    [mail] = [one for one in visitor.godwit.mails(to=email, wait=15) if "invites you" in one.subject]
    [link] = [one for one in mail.links if "/invitations/" in one]
    visitor.go(link)
    visitor.fill("Your name", name)
    visitor.press("Send me a code")
    expect(visitor.box("The six digits")).to_be_visible()
    visitor.fill("The six digits", visitor.godwit.mails(to=email, kind="code", wait=15)[0].code)
    visitor.press("Sign in")
    expect(visitor.heading()).to_have_text(re.compile("^Join"))
    visitor.press(re.compile("^Join"))
    visitor.ready()
