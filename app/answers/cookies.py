"""A cookie of ours: for every path of this host, out of reach of scripts and of other sites' forms."""

from litestar.datastructures import Cookie

from app.base.settings import settings


def own_cookie(name: str, value: str, seconds: int) -> Cookie:
    """The cookie, kept for so long; 0 seconds take it away."""
    return Cookie(
        key=name,
        value=value,
        max_age=seconds,
        path="/",
        httponly=True,
        samesite="lax",
        secure=settings().is_https,
    )
