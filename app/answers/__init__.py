"""How pages and the API answer.

Owns: rendering (one Jinja environment, undefined names are errors), the choice between a
page and what htmx asked for, problem+json (RFC 9457), the flash, forms as people send
them, cursors, the fingerprints of static files, the check that a form was ours.

Words: a *page* is a whole document; a *fragment* is one root element with an id; an *answer*
repaints several places after one act. A *flash* is one sentence shown once after a redirect.
A *shell* is what the studio's frame needs: who, where, what was just said.

Promises
1. No handler asks whether the request came from htmx; `answer` does.
2. Every error of `base.errors` becomes its status and its sentence, for people and for programs.
3. A text that came by a form holds no NUL and no lone surrogate, and is as long as was said at most.
4. A cursor that we did not make is told apart from one that points nowhere: `Invalid`.
5. A call of the API is asked only what its handler declares, and OpenAPI tells just that.
6. An answer that depends on htmx says so to caches (`Vary: HX-Request`).
7. A live region is told each change once, and that it is over; a look holds no transaction between two.

Nothing here knows an account, a database or a host: whoever answers is above. Tables: none.
"""

from app.answers.assets import asset, fingerprint, static_file
from app.answers.cookies import own_cookie
from app.answers.cursors import Cursor
from app.answers.flashes import Flash, forget_flash, take_flash
from app.answers.floors import until
from app.answers.formats import day, iso, iso_or_none, plural, span
from app.answers.forms import Form, form_of
from app.answers.frames import framed_mail
from app.answers.htmx import answer, is_htmx
from app.answers.locality import is_local, network_of
from app.answers.options import (
    Option,
    asks,
    file_of,
    options_of,
    refuse_unknown_options,
    takes,
    told_once,
    told_once_by,
)
from app.answers.paging import PAGED, paging_of
from app.answers.problems import answer_error
from app.answers.rendering import fragment, load_templates, page, rendered
from app.answers.requests import Request
from app.answers.rights import allow_here
from app.answers.sheets import guarded
from app.answers.shell import Halt, Link, Shell, SiteFrame
from app.answers.streams import live_stream

__all__ = [
    "PAGED",
    "Cursor",
    "Flash",
    "Form",
    "Halt",
    "Link",
    "Option",
    "Request",
    "Shell",
    "SiteFrame",
    "allow_here",
    "answer",
    "answer_error",
    "asks",
    "asset",
    "day",
    "file_of",
    "fingerprint",
    "forget_flash",
    "form_of",
    "fragment",
    "framed_mail",
    "guarded",
    "is_htmx",
    "is_local",
    "iso",
    "iso_or_none",
    "live_stream",
    "load_templates",
    "network_of",
    "options_of",
    "own_cookie",
    "page",
    "paging_of",
    "plural",
    "refuse_unknown_options",
    "rendered",
    "span",
    "static_file",
    "take_flash",
    "takes",
    "told_once",
    "told_once_by",
    "until",
]
