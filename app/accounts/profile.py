"""What a publication says of itself, as its owner changes it."""

from dataclasses import dataclass

from app.accounts.sign_up import check_name, check_postal_address
from app.base.addresses import AddressError, canonical
from app.base.database import Tx
from app.base.errors import Invalid, Problem

_CHANGE = """
update account set name = :name, description = :description, postal_address = :postal_address,
                   sender_name = :sender_name, reply_to = :reply_to
where id = :account
"""


@dataclass(frozen=True)
class Profile:
    """The fields of the settings page, as typed."""

    name: str
    description: str
    postal_address: str
    sender_name: str
    reply_to: str


async def change_profile(tx: Tx, typed: Profile) -> None:
    """Save it in the transaction's account. Raises Invalid with every problem, by field."""
    problems = check_name(typed.name.strip(), "name", "Give the publication a name.")
    problems += check_name(typed.sender_name.strip(), "sender_name", "")
    problems += check_postal_address(typed.postal_address.strip())
    if len(typed.description.strip()) > 500:
        too_long = f"This is {len(typed.description.strip())} characters long; the most is 500."
        problems.append(Problem("description", too_long))
    reply_to = None
    if typed.reply_to.strip():
        try:
            reply_to = canonical(typed.reply_to)
        except AddressError as error:
            problems.append(Problem("reply_to", error.detail))
    if problems:
        raise Invalid(problems)
    await tx.execute(
        _CHANGE,
        account=tx.account_id,
        name=typed.name.strip(),
        description=typed.description.strip(),
        postal_address=typed.postal_address.strip(),
        sender_name=typed.sender_name.strip(),
        reply_to=reply_to,
    )
