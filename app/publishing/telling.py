"""What is said after a press: what it did and where that shows, or why nothing happened."""

from app.base.errors import Conflict, Invalid, Problem
from app.publishing.publications import Publication


def told(error: Invalid | Conflict) -> tuple[Problem, ...]:
    """Why nothing happened, as sentences."""
    return error.problems or (Problem("", error.detail),)


def where_it_shows(made: Publication) -> str:
    """The page that shows what a press did: the email's, which moves, before the published version's."""
    return f"broadcasts/{made.broadcast_id}" if made.broadcast_id else f"releases/{made.release}"


def what_happened(made: Publication) -> str:
    """What a press did, in one sentence."""
    live = f"Published version {made.release} is live" if made.release else ""
    if made.broadcast_id is None:
        return live + "."
    return f"{live}, and the email is on its way." if live else "The email is on its way."
