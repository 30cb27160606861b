"""Where somebody who had to sign in first goes on: never to another host."""

from urllib.parse import quote

LONGEST = 1000
#: What a path and its query are written with; a header carries the rest as octets.
_AS_IT_IS = "/%?&=#:;,+~!*'()@$[]"


def safe_next(next: str, otherwise: str = "/") -> str:
    """A path of this very host as a header carries it, else `otherwise`.

    Browsers take `//host` and `/\\host` for another host, and drop line breaks and tabs before they look.
    """
    ours = next.startswith("/") and not next.startswith(("//", "/\\")) and next.isprintable()
    return quote(next, safe=_AS_IT_IS) if ours and len(next) <= LONGEST else otherwise
