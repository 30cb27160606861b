"""The one tree of errors.

    GodwitError
    ├── Invalid          422  what was given cannot be used; every problem is listed
    ├── Unauthorized     401  nobody is signed in, or the key is unknown
    ├── Forbidden        403  signed in, but not allowed
    ├── NotFound         404  no such thing in this account
    ├── Conflict         409  it does not fit the present state
    ├── TooLarge         413  more than is taken
    ├── TooMany          429  too often; says when to come again
    └── Unavailable      503  a part we need is away; come again

An error is something the caller did or can do something about, and its `detail` is a
sentence for people: what is wrong and what to do. What the outside world does comes
back as a value (`mail.Outcome`), never as one of these.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: `field` names the input it concerns ('' for the whole)."""

    field: str
    message: str


class GodwitError(Exception):
    """Something the caller can understand and act upon."""

    status = 500
    title = "Something went wrong"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.problems: tuple[Problem, ...] = ()


class Invalid(GodwitError):
    """What was given cannot be used. Carries every problem found, not only the first."""

    status = 422
    title = "Some of it cannot be used"

    def __init__(self, problems: Sequence[Problem] | str) -> None:
        listed = (Problem("", problems),) if isinstance(problems, str) else tuple(problems)
        super().__init__(" ".join(problem.message for problem in listed))
        self.problems = listed


class Unauthorized(GodwitError):
    """Nobody is signed in, or the key is not known."""

    status = 401
    title = "Please sign in"


class Forbidden(GodwitError):
    """Known, but not allowed to do this."""

    status = 403
    title = "Not allowed"


class NotFound(GodwitError):
    """No such thing, or not in this account: the two are told alike."""

    status = 404
    title = "Not found"


class Conflict(GodwitError):
    """The act does not fit the state the thing is in; the detail names that state."""

    status = 409
    title = "That does not fit what is there"


class TooLarge(GodwitError):
    """More than is taken in one go; the detail names the limit."""

    status = 413
    title = "Too large"


class TooMany(GodwitError):
    """Too often. `retry_after` is in seconds."""

    status = 429
    title = "Too many tries"

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Unavailable(GodwitError):
    """A part that is needed is away for the moment. `retry_after` is in seconds."""

    status = 503
    title = "Not available just now"

    def __init__(self, detail: str, retry_after: int = 5) -> None:
        super().__init__(detail)
        self.retry_after = retry_after
