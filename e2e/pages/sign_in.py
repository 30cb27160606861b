"""Coming in: the first run, and the mailed code."""

from e2e.pages.visitor import Visitor


class FirstRun:
    """The page that opens the first publication."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor

    def open(self) -> None:
        """By the address that `up` prints."""
        self.visitor.go(self.visitor.godwit.addresses["first_run"])

    def begin(self, *, name: str, slug: str, creator: str, email: str, address: str = "") -> None:
        """Fill the form and press."""
        self.visitor.fill("Name of the publication", name)
        self.visitor.fill("Short name", slug)
        self.visitor.fill("Your name", creator)
        self.visitor.fill("Your email address", email)
        self.visitor.fill("Postal address", address)
        self.visitor.press("Open the publication")
        self.visitor.ready()


class SignIn:
    """The sign-in page and the page of the code."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor

    def open(self) -> None:
        """The page that asks for the address."""
        self.visitor.go("/sign-in")

    def ask(self, email: str) -> None:
        """Ask for a code."""
        self.visitor.fill("Your email address", email)
        self.visitor.press("Send me a code")
        self.visitor.ready()

    def enter(self, code: str) -> None:
        """Type the six digits."""
        self.visitor.fill("The six digits", code)
        self.visitor.press("Sign in")
        self.visitor.ready()

    def with_mailed_code(self, email: str) -> None:
        """All of it, with the code from the mailbox."""
        self.open()
        self.ask(email)
        self.enter(self.visitor.godwit.mails(to=email, kind="code", wait=10)[0].code)
