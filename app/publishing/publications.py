"""The one transaction that publishes: revision, release, email, and the press that caused them.

A press has a key (the button's, or an Idempotency-Key). The draft's row is locked first, so presses of one
post wait for each other, and a second press of the same button finds the first one's answer, also when both
arrive at one instant. Everything commits together or nothing does: no number is burnt, nobody is mailed.
"""

from dataclasses import dataclass, replace
from uuid import UUID

from app.accounts import account_of
from app.answers import plural
from app.audiences import AudienceSize, size
from app.base.database import Tx
from app.base.errors import Conflict, Invalid, Problem
from app.base.fields import one_line
from app.base.statements import sql
from app.broadcasts import NewBroadcast, mailed_before, start_broadcast
from app.posts import Release, Revision, draft_of, freeze, publish_revision
from app.readers import Newsletter, default_newsletter, newsletter_by_slug

MAX_SUBJECT = 255
MAX_PREHEADER = 500
COUNT_MAY_CHANGE = 0.01
"""How much of the number that a page showed may be off before the press asks again."""


@dataclass(frozen=True)
class Email:
    """The email that is wanted. Empty subject and preheader stand for the post's title and excerpt.

    `newsletter` is a slug, None for the default one. `shown` is the number of readers that the page named,
    None where nobody was shown one. `undo_seconds` pass before it starts; None: the account's undo time.
    """

    newsletter: str | None = None
    subject: str = ""
    preheader: str = ""
    again: bool = False
    shown: int | None = None
    undo_seconds: int | None = 0


@dataclass(frozen=True)
class Press:
    """One press of publish: of which post and version, where to, by whom."""

    key: str
    post_id: UUID
    site: bool
    email: Email | None
    version: int | None = None
    by: UUID | None = None
    by_name: str = ""


@dataclass(frozen=True)
class Publication:
    """What a press did. `release` None: not on the site; `broadcast_id` None: not mailed."""

    post_id: UUID
    release: int | None
    broadcast_id: UUID | None


class CountChanged(Invalid):
    """Others would get it than the page said. `will` is the number now."""

    def __init__(self, will: int, shown: int) -> None:
        who = plural(will, "reader")
        message = f"{who} will get it now, not {shown:,} as the page said. Press again if that is right."
        super().__init__([Problem("count", message)])
        self.will = will


async def publish(tx: Tx, press: Press) -> Publication:
    """Publish the draft to the site, by email, or both; a second press gets the first one's answer.

    Raises NotFound; StaleVersion when the draft is not the version that was pressed; Invalid when something
    stops it, nobody is in the audience or the number changed (CountChanged); Conflict when the newsletter has
    the post already and `again` is not asked for. Then nothing has happened.
    """
    await draft_of(tx, press.post_id, lock=True)
    first = await _first_answer(tx, press)
    if first is not None:
        return first
    if not press.site and press.email is None:
        raise Invalid([Problem("site", "Choose where it goes: the site, an email, or both.")])
    frozen = await freeze(tx, press.post_id, press.by, press.version)
    release = await publish_revision(tx, frozen, press.by) if press.site else None
    broadcast_id = await _mail(tx, press, press.email, frozen, release) if press.email else None
    made = Publication(press.post_id, release.number if release else None, broadcast_id)
    kept = await tx.value(
        sql(__package__, "remember"),
        account=tx.account_id,
        key=press.key,
        post=press.post_id,
        release=made.release,
        broadcast=made.broadcast_id,
    )
    if kept is None:
        raise _other_post()
    return made


async def _first_answer(tx: Tx, press: Press) -> Publication | None:
    row = await tx.row(sql(__package__, "publication"), account=tx.account_id, key=press.key)
    if row is None:
        return None
    if row.post_id != press.post_id:
        raise _other_post()
    return Publication(row.post_id, row.release, row.broadcast_id)


async def _mail(tx: Tx, press: Press, email: Email, frozen: Revision, release: Release | None) -> UUID:
    subject, preheader = checked_lines(email)
    newsletter = await wanted_newsletter(tx, email.newsletter)
    await _refuse_twice(tx, press, email, newsletter)
    audience = await size(tx, newsletter.id)
    _refuse_surprise(audience, email, newsletter)
    if release is not None:
        frozen = replace(frozen, slug=release.changes[0].slug)
    return await start_broadcast(
        tx,
        await account_of(tx),
        NewBroadcast(
            revision=frozen,
            newsletter=newsletter,
            release=release.number if release else None,
            subject=subject,
            preheader=preheader,
            again=email.again,
            pressed_by=press.by,
            pressed_by_name=press.by_name,
            left_out=audience.left_out,
            undo_seconds=email.undo_seconds,
        ),
    )


async def wanted_newsletter(tx: Tx, slug: str | None) -> Newsletter:
    """The newsletter of that slug, the default one for None. Raises Invalid for an unknown slug."""
    if slug is None:
        return await default_newsletter(tx)
    found = await newsletter_by_slug(tx, slug)
    if found is None:
        raise Invalid([Problem("email.newsletter", f"There is no newsletter {slug!r} in this publication.")])
    return found


async def _refuse_twice(tx: Tx, press: Press, email: Email, newsletter: Newsletter) -> None:
    if email.again:
        return
    before = await mailed_before(tx, press.post_id, newsletter.id)
    if before is not None:
        raise Conflict(
            f"This post was mailed to {newsletter.name} already: email {before.id}, sent by "
            f"{before.by} at {before.at:%Y-%m-%d %H:%M} UTC. "
            "Nothing was sent. To mail everyone again, say so with again."
        )


def _refuse_surprise(audience: AudienceSize, email: Email, newsletter: Newsletter) -> None:
    if audience.will == 0:
        raise Invalid(
            [
                Problem(
                    "email",
                    f"Nobody would get it: {newsletter.name} has no reader who may be mailed. "
                    "Nothing was published. Add readers first, or publish to the site alone.",
                )
            ]
        )
    if email.shown is not None and abs(audience.will - email.shown) > COUNT_MAY_CHANGE * email.shown:
        raise CountChanged(audience.will, email.shown)


def checked_lines(email: Email) -> tuple[str, str]:
    """Subject and preheader on one line each. Raises Invalid when one is too long or holds a NUL."""
    problems: list[Problem] = []
    lines: list[str] = []
    for name, text, most in (
        ("subject", email.subject, MAX_SUBJECT),
        ("preheader", email.preheader, MAX_PREHEADER),
    ):
        line = " ".join(one_line(text).split())
        if "\0" in text:
            problems.append(Problem(f"email.{name}", f"There is a NUL in the {name}. Take it out."))
        if len(line) > most:
            message = f"The {name} may have at most {most} characters; this has {len(line):,}."
            problems.append(Problem(f"email.{name}", message))
        lines.append(line)
    if problems:
        raise Invalid(problems)
    return lines[0], lines[1]


def _other_post() -> Conflict:
    return Conflict("This key was used to publish another post. Use a new key for each press.")
