"""Plans, and who is given one, in the studio."""

from e2e.pages.studio import Studio


class Plans:
    """The list of plans."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor

    def make(self, name: str, gives: str = "") -> None:
        """From the settings: a new plan."""
        self.studio.to("Settings")
        self.visitor.follow("Plans")
        self.visitor.fill("Name", name)
        self.visitor.fill("What it gives", gives)
        self.visitor.press("Make the plan")
        self.visitor.ready()


class ReaderAccess:
    """What one reader may read and why."""

    def __init__(self, studio: Studio, reader_id: str) -> None:
        self.studio, self.visitor, self.reader_id = studio, studio.visitor, reader_id

    def open(self) -> None:
        """By its address."""
        self.studio.open(f"readers/{self.reader_id}/access")

    def give(self, plan: str, reason: str) -> None:
        """A plan by hand, without an end."""
        self.visitor.page.get_by_label("Plan", exact=True).select_option(label=plan)
        self.visitor.fill("Why they get it", reason)
        self.visitor.press("Give access")
        self.visitor.ready()

    def end(self, plan: str) -> None:
        """End what was given by hand."""
        self.visitor.press(f"End it: {plan}, given by hand")
        self.visitor.ready()
