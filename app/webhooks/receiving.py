"""What those are told who write a program that is called: the page for receivers."""

from dataclasses import dataclass

from app.answers import static_file
from app.base.settings import settings
from app.webhooks.catalogue import GROUPS, TEST, EventGroup, EventKind
from app.webhooks.example import Example, example

ANSWERS: tuple[tuple[str, str], ...] = (
    ("200 to 299", "is content: it was delivered."),
    ("410", "switches the webhook off at once: you want nothing more."),
    ("408, 409, 425", "tries again later."),
    ("429", "tries again later, not before the time in your Retry-After, if any; that spends no try."),
    ("any other from 400 to 499", "gives it up: it would be refused again."),
    ("300 to 399", "tries again later, at the same address: it follows no redirect."),
    (
        "500 and more",
        "tries again later; a 503 not before the time in your Retry-After, which spends no try.",
    ),
    ("nothing, or too late", "tries again later. Your status is enough: what comes after it may be cut."),
)
"""Statuses, and what follows from each."""


@dataclass(frozen=True)
class Verifier:
    """One program that tells our deliveries from anybody's, as it stands in static/receivers."""

    key: str
    name: str
    file: str
    needs: str
    source: str


@dataclass(frozen=True)
class ReceiversPage:
    """What templates/webhooks/receivers.html shows; `timeout` is how long (s) we wait for an answer."""

    verifiers: tuple[Verifier, ...]
    answers: tuple[tuple[str, str], ...]
    groups: tuple[EventGroup, ...]
    test: EventKind
    timeout: float
    example: Example


def receivers_page() -> ReceiversPage:
    """The page, with the verifiers as they can be downloaded."""
    return ReceiversPage(
        verifiers=(
            _verifier(
                "python",
                "Python",
                "verify.py",
                "nothing but Python; headers as a dict, {name.lower(): value for name, value in …}",
            ),
            _verifier(
                "javascript",
                "JavaScript",
                "verify.mjs",
                "Node 20 (new Headers(req.headers)), Deno, Bun, Workers and the like",
            ),
            _verifier("shell", "shell", "verify.sh", "openssl, base64, od"),
        ),
        answers=ANSWERS,
        groups=GROUPS,
        test=TEST,
        timeout=settings().sending.webhook_timeout,
        example=example(),
    )


def _verifier(key: str, name: str, file: str, needs: str) -> Verifier:
    found = static_file(f"receivers/{file}")
    assert found is not None
    return Verifier(key, name, file, needs, found.body.decode().rstrip())
