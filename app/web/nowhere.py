"""What a site says where none of its pages is."""

from typing import Any

from litestar import Response, get

from app.accounts import SiteVisit
from app.site import nothing_here


@get("/{rest:path}", include_in_schema=False)
async def nowhere(visit: SiteVisit, rest: str) -> Response[Any]:
    """In the site's own look."""
    return nothing_here(visit.account)
