"""One Jinja environment for every page; an undefined name is an error, not an empty place."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from litestar import Response
from litestar.datastructures import Cookie

from app.answers.assets import asset
from app.answers.formats import FILTERS, zone
from app.answers.rights import may
from app.base.settings import settings

TEMPLATES = Path(__file__).parents[2] / "templates"
HTML = "text/html"  # the framework adds the charset


def page(
    template: str, *, status: int = 200, headers: dict[str, str] | None = None, **context: Any
) -> Response[str]:
    """A whole page. A form that can be mended comes back with status 422 and what was typed."""
    return _response(template, status, headers, context)


def fragment(
    template: str, *, status: int = 200, headers: dict[str, str] | None = None, **context: Any
) -> Response[str]:
    """One fragment, or an answer made of several; never kept by a cache in a page's place."""
    return _response(template, status, {"Vary": "HX-Request", **(headers or {})}, context)


def rendered(template: str, **context: Any) -> str:
    """The text of a template: for live streams, which send fragments without a response."""
    shown = context.get("shell") or context.get("site")
    token = zone.set(context.get("zone") or getattr(shown, "zone", None) or "UTC")
    try:
        return _environment().get_template(template).render(context)
    finally:
        zone.reset(token)


def load_templates() -> None:
    """Compile every template now: a running process must not meet the files of a later version."""
    for name in _environment().list_templates(extensions=["html", "txt", "css"]):
        _environment().get_template(name)


def _response(
    template: str, status: int, headers: dict[str, str] | None, context: dict[str, Any]
) -> Response[str]:
    cookies: list[Cookie] = context.pop("cookies", [])
    return Response(
        rendered(template, **context),
        status_code=status,
        media_type=HTML,
        headers=headers or {},
        cookies=cookies,
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html"], default=False),
        undefined=StrictUndefined,
        auto_reload=settings().mode != "production",
    )
    environment.filters.update(FILTERS)
    environment.globals["asset"] = asset
    environment.globals["may"] = may
    return environment
