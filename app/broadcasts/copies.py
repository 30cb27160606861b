"""The copies of a broadcast, with the readers they go to."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.base.addresses import display
from app.base.database import Tx
from app.base.errors import Invalid, Problem
from app.ledger import SendState, SendView, sends_of_mailing
from app.readers import ReaderName, names_of

#: "Waiting" is one figure on the page and two states in the ledger.
WAITING = ("planned", "sending")
FILTERS: dict[str, tuple[str | None, ...]] = {
    "": (None,),
    "waiting": WAITING,
    **{state.value: (state.value,) for state in SendState},
}


@dataclass(frozen=True)
class Copy:
    """One reader's copy. `email` is the one it was addressed to, or will be; None: the reader is erased."""

    reader_id: UUID
    email: str | None
    name: str
    known: bool
    state: str
    reason: str | None
    batch_id: UUID | None
    called_at: datetime | None
    settled_at: datetime | None

    @property
    def address(self) -> str:
        """The address as people read it."""
        return display(self.email) if self.email else "an erased reader"


def wanted_states(given: str) -> tuple[str | None, ...]:
    """The ledger's states behind a filter. Raises Invalid naming those there are."""
    found = FILTERS.get(given)
    if found is None:
        known = ", ".join(name for name in FILTERS if name)
        raise Invalid([Problem("state", f"There is no state {given!r}; choose one of {known}.")])
    return found


async def copies(
    tx: Tx, mailing_id: UUID, *, state: str = "", before: UUID | None = None, most: int = 50
) -> list[Copy]:
    """A page of copies, newest reader first; `before` is the last reader of the page before."""
    found: list[SendView] = []
    for one in wanted_states(state):
        found += await sends_of_mailing(tx, mailing_id, state=one, before=before, most=most)
    found = sorted(found, key=lambda send: send.reader_id, reverse=True)[:most]
    readers = await names_of(tx, [send.reader_id for send in found])
    return [_copy(send, readers.get(send.reader_id)) for send in found]


def _copy(send: SendView, reader: ReaderName | None) -> Copy:
    return Copy(
        reader_id=send.reader_id,
        email=send.address or (reader.email if reader else None),
        name=reader.name if reader else "",
        known=reader is not None,
        state=send.state,
        reason=send.reason,
        batch_id=send.batch_id,
        called_at=send.called_at,
        settled_at=send.settled_at,
    )
