"""What holds for anybody who sends a form on a site: from where it may come, how long its answer takes."""

from urllib.parse import urlsplit

from litestar import Request

from app.accounts import SiteVisit
from app.answers import until
from app.base.errors import Forbidden

#: What must not tell by its time whether an address is known takes at least so long (s).
FLOOR = 0.25


async def until_floor(began: float) -> None:
    """Wait until FLOOR has passed since a moment of the monotonic clock."""
    await until(began + FLOOR)


def refuse_elsewhere(visit: SiteVisit, request: Request) -> None:
    """Raises Forbidden when the form stands on another site.

    The host that the browser asked for decides, or the site's configured address, never the scheme: a
    proxy that ends TLS may tell us neither (field case L).
    """
    origin = request.headers.get("origin")
    if origin is None:
        if request.headers.get("sec-fetch-site") in (None, "same-origin"):
            return  # an old browser, or a program: the cookie is SameSite=Lax beside this
        raise Forbidden(f"This form was sent from another site. Open {visit.account.site_url} instead.")
    ours = {request.headers.get("host", "").lower(), urlsplit(visit.account.site_url).netloc.lower()}
    if urlsplit(origin).netloc.lower() not in ours:
        raise Forbidden(
            f"This form was sent from another address ({origin[:200]}). Open {visit.account.site_url}/me"
            " and send it from there."
        )
