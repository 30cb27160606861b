"""What one act answers: the repainted places for htmx, else a redirect and a flash.

The one place that asks whether htmx is there (reference: htmx 4 sends HX-Request, and
HX-Boosted for links that only pretend to be one).
"""

from typing import Any

from litestar import Response

from app.answers.flashes import Flash, flash_cookie
from app.answers.rendering import fragment
from app.answers.requests import Connection


def is_htmx(request: Connection) -> bool:
    """Whether htmx waits for a fragment: a boosted link waits for a page."""
    return request.headers.get("hx-request") == "true" and request.headers.get("hx-boosted") != "true"


def answer(
    request: Connection,
    *,
    to: str,
    template: str | None = None,
    flash: Flash | None = None,
    **context: Any,
) -> Response[Any]:
    """After an act: htmx gets `template` (or is sent to `to`), anyone else a 303 to `to`.

    The flash is shown once where they arrive; a template finds it as `flash`.
    """
    if is_htmx(request) and template is not None:
        return fragment(template, flash=flash, **context)
    cookies = [flash_cookie(flash)] if flash else []
    if is_htmx(request):
        return Response("", headers={"HX-Redirect": to, "Vary": "HX-Request"}, cookies=cookies)
    return Response("", status_code=303, headers={"Location": to, "Vary": "HX-Request"}, cookies=cookies)
