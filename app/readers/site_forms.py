"""What people do on a site before they are readers: they subscribe, and confirm.

Neither needs a session, and both may be sent from anywhere: forms of other sites subscribe.
"""

import time
from typing import Any
from urllib.parse import urlencode

from litestar import Request, Response, post

from app.accounts import SiteVisit
from app.answers import Form, form_of, network_of, page
from app.base.errors import Invalid, Problem, TooMany
from app.base.fields import one_line
from app.readers.confirming import confirm
from app.readers.given import Checked
from app.readers.sign_up import LONGEST_FORM, Asked, Busy, admit_form, ask
from app.readers.site_pages import ALONE, confirm_response, subscribe_page, to
from app.readers.strangers import until_floor
from app.readers.streams import newsletters

BUSY = (
    "So many people subscribe just now that this form takes a rest. Nothing is lost: come again in an hour."
)


@post("/subscribe", status_code=200)
async def subscribe(visit: SiteVisit, request: Request) -> Response[Any]:
    """Mail a confirmation, and say the same whether or not the address is known (R8)."""
    began = time.monotonic()
    form = await form_of(request)
    try:
        asked = await _asked(visit, request, form)
        async with visit.transaction() as tx:
            wait = await admit_form(tx, asked.form, network_of(request))
        if not isinstance(wait, Busy):
            async with visit.transaction() as tx:
                await ask(tx, visit.account, asked, wait)
    except TooMany as error:
        return await _subscribe_again(visit, request, form, (Problem("", error.detail),), error.retry_after)
    except Invalid as error:
        return await _subscribe_again(visit, request, form, error.problems)
    finally:
        await until_floor(began)
    if isinstance(wait, Busy):
        return await _subscribe_again(visit, request, form, (Problem("", BUSY),), wait.seconds)
    return to(f"/subscribe/check-inbox?{urlencode({'email': asked.email})}")


@post("/confirm/{token:str}", status_code=200)
async def confirm_now(visit: SiteVisit, token: str) -> Response[str]:
    """The button (R7). It signs nobody in: who presses for somebody else gets nothing by it."""
    async with visit.transaction() as tx:
        shown = await confirm(tx, token)
    return confirm_response(visit, shown)


async def _asked(visit: SiteVisit, request: Request, form: Form) -> Asked:
    """What the form says. Raises Invalid with everything that is wrong."""
    checked = Checked()
    email = checked.email(form.text("email", most=1000))
    name = checked.name(form.text("name", most=1000))
    source = _source(request, form)
    async with visit.transaction() as tx:
        streams = await newsletters(tx)
    given = [slug for slug in form.many("newsletter") if slug]
    chosen = tuple(one for one in streams if (one.slug in given if given else one.is_default))
    if unknown := set(given) - {one.slug for one in streams}:
        checked.wrong("newsletter", f"There is no newsletter “{min(unknown)[:60]}” here. Choose one that is.")
    checked.refuse()
    where = f"the form “{source}”" if source else "the subscribe page"
    return Asked(email, chosen, f"asked on {where}", source, name)


def _source(request: Request, form: Form) -> str:
    """`?source=` of the form's address, or a field of that name; cut, never refused."""
    given = form.typed("source") or request.query_params.get("source", "")
    return one_line(given.replace("\0", ""))[:LONGEST_FORM].strip()


async def _subscribe_again(
    visit: SiteVisit,
    request: Request,
    form: Form,
    problems: tuple[Problem, ...],
    retry_after: int | None = None,
) -> Response[str]:
    """The form with what was typed; 429 when it is only a matter of time."""
    shown = await subscribe_page(
        visit,
        email=form.typed("email")[:1000],
        name=form.typed("name")[:1000],
        source=_source(request, form),
        chosen=tuple(form.many("newsletter", most=100_000)),
        problems=problems,
    )
    headers = ALONE | ({"Retry-After": str(retry_after)} if retry_after is not None else {})
    status = 422 if retry_after is None else 429
    return page("readers/site/subscribe.html", status=status, headers=headers, site=visit.frame(), page=shown)


HANDLERS: tuple[Any, ...] = (subscribe, confirm_now)
