"""How an error is told: problem+json (RFC 9457) to programs, a page to people, a notice to htmx."""

from dataclasses import dataclass
from typing import Any

from litestar import Response
from litestar.connection import ASGIConnection

from app.answers.csrf import PROGRAMS
from app.answers.htmx import is_htmx
from app.answers.rendering import fragment, page
from app.base.errors import GodwitError, Unauthorized

PROBLEM_JSON = "application/problem+json"


@dataclass(frozen=True)
class ErrorPage:
    """What templates/errors/ needs: the sentence, and one way on."""

    status: int
    title: str
    detail: str
    back_url: str
    back_label: str


def as_problem(error: GodwitError) -> Response[dict[str, Any]]:
    """The error as application/problem+json."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "errors": [{"field": problem.field, "message": problem.message} for problem in error.problems],
    }
    return Response(
        body, status_code=error.status, media_type=PROBLEM_JSON, headers=_headers(error, program=True)
    )


def answer_error(request: ASGIConnection, error: GodwitError) -> Response[Any]:
    """The error in the form that whoever asked understands.

    htmx swaps error answers too: the notice goes to the top of the page, so that the place
    which was to be repainted keeps what it shows.
    """
    if request.scope["path"].startswith(PROGRAMS):
        return as_problem(error)
    shown = ErrorPage(error.status, error.title, error.detail, *_way_on(error))
    headers = _headers(error, program=False) | {"Vary": "HX-Request"}
    if is_htmx(request):
        headers |= {"HX-Retarget": "main", "HX-Reswap": "afterbegin"}
        return fragment("errors/_error.html", status=error.status, headers=headers, page=shown)
    return page("errors/problem.html", status=error.status, headers=headers, page=shown)


def _way_on(error: GodwitError) -> tuple[str, str]:
    return ("/sign-in", "Sign in") if isinstance(error, Unauthorized) else ("/", "To the start")


def _headers(error: GodwitError, *, program: bool) -> dict[str, str]:
    headers = {"Cache-Control": "no-store"}
    retry_after = getattr(error, "retry_after", None)
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    if program and isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = 'Bearer realm="Godwit"'
    return headers
