"""Static files, for the studio and every site alike."""

from typing import Any

from litestar import Request, Response, get

from app.answers.assets import fingerprint, static_file
from app.base.errors import NotFound

_FOR_EVER = "public, max-age=31536000, immutable"


@get("/static/{path:path}", include_in_schema=False)
async def static(request: Request, path: str) -> Response[Any]:
    """A file; for a year when its address carries the present fingerprint, else asked for again each time."""
    given, _, rest = path.strip("/").partition("/")
    found = static_file(rest)
    if found is None:
        raise NotFound("There is no such file.")
    etag = f'"{given}-{len(found.body):x}"'
    known = given == fingerprint()
    headers = {"Cache-Control": _FOR_EVER if known else "no-cache", "Vary": "Accept-Encoding"}
    if known:
        headers["ETag"] = etag
        if request.headers.get("if-none-match") == etag:
            return Response(b"", status_code=304, headers=headers)
    if found.zipped is not None and "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(found.zipped, media_type=found.media_type, headers=headers)
    return Response(found.body, media_type=found.media_type, headers=headers)


@get("/favicon.ico", include_in_schema=False)
async def favicon() -> Response[Any]:
    """Browsers ask for it by themselves; pages name the drawn one."""
    found = static_file("img/godwit.svg")
    assert found is not None
    headers = {"Cache-Control": "public, max-age=86400"}
    return Response(found.body, media_type=found.media_type, headers=headers)
