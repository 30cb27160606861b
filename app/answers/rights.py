"""What whoever asked may do, for the templates: `{% if may("publish") %}` leaves out what would be refused.

A manner only: the guard in front of each route refuses. Outside of a studio's request nothing is left out.
"""

from collections.abc import Iterable
from contextvars import ContextVar

_ACTS: ContextVar[frozenset[str] | None] = ContextVar("acts", default=None)


def allow_here(acts: Iterable[str]) -> None:
    """From here on in this request, these acts are shown."""
    _ACTS.set(frozenset(acts))


def may(act: str) -> bool:
    """Whether to show it."""
    acts = _ACTS.get()
    return acts is None or act in acts
