"""How what went wrong is told: an error of ours as itself, the framework's in our words, the rest as 500."""

from typing import Any
from urllib.parse import urlencode

from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from sqlalchemy.exc import DBAPIError, InterfaceError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.answers import answer_error, csrf, is_htmx
from app.base.errors import GodwitError, Invalid, NotFound, TooLarge, Unauthorized, Unavailable
from app.base.telemetry import log
from app.web.bodies import problems_of

#: What text the database cannot keep: NUL (22021, 22P05).
_UNKEPT = ("22021", "22P05")
#: It waited too long for a lock or was told to stop, or is going down: nothing was written.
_BUSY = ("55P03", "57014", "40001", "40P01", "57P01", "57P02", "57P03", "53300", "25P03")


class MethodNotAllowed(GodwitError):
    """The address is right, the method is not."""

    status = 405
    title = "Not done this way"


class Malformed(GodwitError):
    """What arrived could not be read at all."""

    status = 400
    title = "That could not be read"


class Broken(GodwitError):
    """We were wrong; the log says how."""

    status = 500
    title = "Something broke on our side"


def tell(request: Request, error: Exception) -> Response[Any]:
    """The one exception handler of every application here."""
    told = meaning(request, error)
    if isinstance(told, Broken):
        log.error("request_failed", path=request.scope["path"], method=request.method, exc_info=error)
    if isinstance(told, Unauthorized) and not request.scope["path"].startswith(csrf.PROGRAMS):
        return _to_sign_in(request)
    return answer_error(request, told)


def meaning(request: Request, error: Exception) -> GodwitError:
    """An error in our own words."""
    match error:
        case GodwitError():
            return error
        case ValidationException():
            return _invalid(request, error)
        case HTTPException():
            return _framework(request, error)
        case DBAPIError() | InterfaceError() | PoolTimeout() | SQLAlchemyError():
            return _database(error)
        case UnicodeEncodeError():
            return _unkept()
        case RecursionError() if _in_its_body(error):
            return Malformed("The body is nested too deeply to be read.")
        case ConnectionError():
            return Unavailable("A part of Godwit cannot be reached just now. Try again in a moment.")
        case _:
            return _broken()


def _in_its_body(error: RecursionError) -> bool:
    """Whether it was the reading of JSON that went too deep, not a call of ours."""
    return "deserializing" in str(error)


def _broken() -> Broken:
    return Broken(
        "It was written down for whoever runs this Godwit. Nothing you saved was lost, and mail that was"
        " going out goes on. Go back and try once more; what you typed may still be there."
    )


def _invalid(request: Request, error: ValidationException) -> GodwitError:
    return Invalid(problems_of(request, error) or error.detail)


def _framework(request: Request, error: HTTPException) -> GodwitError:
    match error.status_code:
        case 404:
            return NotFound("The address may be misspelt, or what stood here was moved or taken away.")
        case 405:
            return MethodNotAllowed(f"{request.method} does nothing at this address.")
        case 413:
            return TooLarge("This is more than Godwit takes in one go here. Send less, or in parts.")
        case 401:
            return Unauthorized("Sign in to open this page.")
        case status if status < 500:
            said = str(error.detail or "it is malformed").rstrip(".")
            hint = " Send JSON in UTF-8." if "JSON" in said or "Input data" in said else ""
            return Malformed(f"The request could not be read: {said}.{hint}")
        case _:
            return _broken()


def _database(error: SQLAlchemyError) -> GodwitError:
    if isinstance(error, PoolTimeout):
        return Unavailable("Very many people are here at once. Try again in a moment.")
    if not isinstance(error, DBAPIError):
        return _broken()
    state = str(getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None) or "")
    cause = error.orig.__cause__ if error.orig else None
    if state in _UNKEPT or isinstance(cause, UnicodeEncodeError) or "UnicodeEncodeError" in str(error.orig):
        return _unkept()
    if (
        error.connection_invalidated
        or isinstance(error, InterfaceError)
        or state in _BUSY
        or state[:2] == "08"
    ):
        return Unavailable("The database did not answer in time. Look whether it was done, then try again.")
    return _broken()


def _unkept() -> Invalid:
    return Invalid("There is a NUL or half a character in what was sent, which cannot be kept. Take it out.")


def _to_sign_in(request: Request) -> Response[Any]:
    """People are shown the way in, and come back to where they wanted to go if it was a page."""
    wanted = request.scope["path"] if request.method in ("GET", "HEAD") and not is_htmx(request) else ""
    where = f"/sign-in?{urlencode({'next': wanted})}" if wanted else "/sign-in"
    if is_htmx(request):
        return Response("", status_code=401, headers={"HX-Redirect": where, "Vary": "HX-Request"})
    return Response("", status_code=303, headers={"Location": where, "Cache-Control": "no-store"})
