"""Publishing by the API (contract.md)."""

from hashlib import sha256
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import post
from msgspec import Struct

from app.accounts import ApiCaller
from app.base import ids
from app.base.errors import Invalid, Problem
from app.publishing.publications import Email, Press, publish

LATER = "This option is not there yet in this version of Godwit. Leave it out; nothing was published."


class NewEmail(Struct, forbid_unknown_fields=True):
    """The email that is wanted; subject and preheader default to title and excerpt."""

    newsletter: str | None = None
    subject: str | None = None
    preheader: str | None = None
    again: bool = False
    segment: str | None = None
    undo_seconds: Annotated[int, msgspec.Meta(ge=0, le=600)] = 0


class NewPublication(Struct, forbid_unknown_fields=True):
    """Where a post goes: to the site, by email, or both. `version`: only while the draft still has it."""

    site: bool = False
    email: NewEmail | None = None
    at: str | None = None
    version: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)] | None = None


class PublicationItem(Struct):
    """What the press did. `scheduled` is for later versions."""

    release: int | None
    scheduled: str | None
    broadcast: str | None


@post("/posts/{post_id:uuid}/publish", status_code=202)
async def publish_post(caller: ApiCaller, post_id: UUID, data: NewPublication) -> PublicationItem:
    """Publish the draft to the site, by email, or both; the same Idempotency-Key gets the first answer."""
    _refuse_later_options(data)
    key = sha256(caller.idempotency_key.encode()).hexdigest() if caller.idempotency_key else str(ids.new())
    press = Press(
        key=f"api:{key}",
        post_id=post_id,
        site=data.site,
        email=_email(data.email) if data.email else None,
        version=data.version,
        by_name=f"API key {caller.key_name}",
    )
    async with caller.transaction() as tx:
        made = await publish(tx, press)
    return PublicationItem(made.release, None, str(made.broadcast_id) if made.broadcast_id else None)


def _email(given: NewEmail) -> Email:
    return Email(
        given.newsletter,
        given.subject or "",
        given.preheader or "",
        given.again,
        undo_seconds=given.undo_seconds,
    )


def _refuse_later_options(data: NewPublication) -> None:
    given = {
        "at": data.at is not None,
        "email.segment": data.email is not None and data.email.segment is not None,
    }
    named = [name for name, is_given in given.items() if is_given]
    if named:
        raise Invalid([Problem(name, f"{name}: {LATER[0].lower()}{LATER[1:]}") for name in named])


HANDLERS: tuple = (publish_post,)
