"""The one interface of everything that hands mail over. Only `directory` knows which there are."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.mail.message import Mail
from app.mail.outcome import Outcome, Record


class Provider(Protocol):
    """How mail leaves. `deliver`, `look_up` and `probe` may not be called with a transaction open."""

    @property
    def name(self) -> str:
        """The setting's value that chooses it; stands on every batch."""
        ...

    @property
    def batch_limit(self) -> int:
        """The most mails that one call takes."""
        ...

    @property
    def asked_at_once(self) -> bool:
        """Whether its record is complete the moment `call_until` has passed, so no trust window is waited."""
        ...

    @property
    def has_record(self) -> bool:
        """Whether it can be asked afterwards at all. Without a record an unknown is a person's to settle."""
        ...

    @property
    def patience(self) -> float:
        """Seconds after `call_until` for which the answer to a call is still worth waiting for."""
        ...

    async def deliver(
        self, mails: Sequence[Mail], *, batch_id: UUID, call_until: datetime, deadline: float | None = None
    ) -> Outcome:
        """Hand over all of `mails` in one call that can have no effect after `call_until` (database's clock).

        `deadline` is the same moment on the running loop's clock, reckoned from before `call_until` was set,
        for who cannot ask the database; without it the call may take GODWIT_SEND_TIMEOUT from now.
        Never raises for what the outside does. A cancelled call is Unknown to its caller.
        """
        ...

    async def look_up(self, batch_id: UUID, delivery_ids: Sequence[UUID], *, call_until: datetime) -> Record:
        """What the provider's record says about a batch that was called until `call_until`.

        A record that cannot be read is `Record(whole=False, sent=frozenset())`.
        """
        ...

    async def probe(self) -> Outcome:
        """Knock without mail: Accepted when the provider would let us in."""
        ...

    def hurry(self, seconds: float) -> None:
        """The process is to end: calls under way answer within `seconds`, as Unknown if they must."""
        ...

    async def aclose(self) -> None:
        """Give back connections; the provider is not used again."""
        ...
