"""A new account: whole from the first moment, with its owner and its first newsletter."""

import re

from app.accounts.queries import Account, account_named, account_of, creator_with
from app.base import ids
from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.base.errors import Invalid, Problem
from app.base.fields import one_line, scrub

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
#: Hosts that mean something else below a site domain, or soon will.
RESERVED = frozenset(
    """
    admin api app assets autoconfig autodiscover blog cdn click clicks console dashboard email events
    example feed ftp godwit help hooks imap img link links localhost login mail mailbox media metrics mx
    news ns ns1 ns2 pop root smtp static status studio support testing track unsubscribe webmail wpad www
    """.split()  # noqa: SIM905 - a list of words is read as words
)

_NEW_CREATOR = """
insert into creator (id, email, name, operator) values (:id, :email, :name, :operator)
on conflict (email) do update set operator = creator.operator or excluded.operator
returning id
"""


async def create_account(
    tx: Tx,
    *,
    email: str,
    name: str,
    slug: str,
    postal_address: str = "",
    operator: bool = False,
    creator_name: str = "",
) -> Account:
    """Open an account owned by whoever signs in with `email`; the transaction is within it afterwards.

    Raises Invalid with every problem: fields email, name, slug, postal_address, creator_name.
    """
    problems: list[Problem] = []
    address = _address(email, problems)
    name, creator_name = name.strip(), creator_name.strip()
    slug, postal_address = slug.strip(), postal_address.strip()
    problems += check_name(name, "name", "Give the publication a name.")
    problems += check_name(creator_name or "x", "creator_name", "")
    problems += check_postal_address(postal_address)
    problems += await _check_slug(tx, slug)
    if problems:
        raise Invalid(problems)
    known = await creator_with(tx, address)
    creator = await tx.value(
        _NEW_CREATOR,
        id=known.id if known else ids.new(),
        email=address,
        name=creator_name or address.partition("@")[0][:120],
        operator=operator,
    )
    made = await tx.value(
        "select open_account(:slug, :name, :postal, :creator, :newsletter)",
        slug=slug,
        name=name,
        postal=postal_address,
        creator=creator,
        newsletter=ids.new(),
    )
    await tx.enter_account(made)
    return await account_of(tx)


def check_name(name: str, field: str, missing: str) -> list[Problem]:
    """What is wrong with a name of a publication, a sender or a person."""
    if not name:
        return [Problem(field, missing)] if missing else []
    if len(name) > 120:
        return [Problem(field, f"This name is {len(name)} characters long; the most is 120.")]
    if one_line(name) != name:
        return [Problem(field, "A name stands on one line, without control characters. Type it anew.")]
    return []


def check_postal_address(text: str) -> list[Problem]:
    """What is wrong with the address that stands below every mail; an empty one is a warning elsewhere."""
    if len(text) > 500:
        return [Problem("postal_address", f"This address is {len(text)} characters long; the most is 500.")]
    if "\t" in text or scrub(text) != text or "\r" in text.replace("\r\n", "\n"):
        return [Problem("postal_address", "There is a control character in the address. Type it anew.")]
    return []


def _address(email: str, problems: list[Problem]) -> str:
    try:
        return canonical(email)
    except AddressError as error:
        problems.append(Problem("email", error.detail))
        return ""


async def _check_slug(tx: Tx, slug: str) -> list[Problem]:
    if not slug:
        return [Problem("slug", "Give a short name: the site's address begins with it.")]
    if not _SLUG.fullmatch(slug):
        rule = "small letters a–z, digits and hyphens, at most 63, not beginning or ending with a hyphen"
        return [Problem("slug", f"“{slug[:80]}” cannot begin an address. A short name has {rule}.")]
    if slug in RESERVED or slug.startswith("xn--"):
        return [Problem("slug", f"“{slug}” is kept for other uses. Choose another short name.")]
    if await account_named(tx, slug) is not None:
        return [Problem("slug", f"“{slug}” is taken. Choose another short name.")]
    return []
