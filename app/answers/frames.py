"""The HTML of a mail, for a frame on a page of ours: it runs nothing, sends nothing and leads nowhere."""

from litestar import Response

from app.answers.rendering import HTML

#: A mail's styles stand in the mail, and its pictures wherever the creator put them.
_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src https: http: data:;"
    " form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def framed_mail(html: str) -> Response[str]:
    """The mail's HTML alone, as a mail program would be given it, under a policy of its own."""
    return Response(html, media_type=HTML, headers=_HEADERS)
