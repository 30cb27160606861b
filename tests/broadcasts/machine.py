"""A broadcast driven step by step by a seed: what people press, what machines do, the truth beside the books.

No loop runs: each step is one act or one part of a worker's round, so that a seed replays the same run.
"""

import random
import re
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

from app.answers import rendered
from app.audiences import select_readers
from app.base.errors import Conflict
from app.broadcasts import acts
from app.broadcasts.progress import Progress, read_broadcast
from app.ledger import delivery, reconciliation, record_chunk
from app.ledger.contents import delivery_id
from app.ledger.feeder import DeliverSends
from app.ledger.skipping import skip_chunk
from app.mail import (
    Accepted,
    Mail,
    Misconfigured,
    NotReached,
    Outcome,
    Refused,
    Split,
    Throttled,
    Unknown,
    probe_refusing,
    probe_soon,
)
from tests.broadcasts.makers import Studio
from tests.ledger.makers import Audience, Told, joined, permit

_TRUTH = """
select m.state as mailing, m.built_at is not null as whole, m.cancelled_unsent,
       (select jsonb_object_agg(state, n) from (select state, count(*) as n from send
        where account_id = m.account_id and mailing_id = m.id group by state) s) as rows
from mailing m where m.account_id = :account and m.id = :mailing
"""
_UNKNOWN = "select reader_id, batch_id from send where mailing_id = :mailing and state = 'unknown'"
_SWITCH = """
insert into switch (account_id, stopped, scope, reason, holding) values (:account, :on, 'bulk', 'a test', :on)
on conflict (account_id) do update set stopped = :on, holding = :on
"""
_OVERDUE = "update batch set call_until = clock_timestamp() - interval '1 second' where state = 'calling'"
PEOPLE = (
    "pause", "resume", "cancel", "retry_failed", "send_to_missing", "resolve", "switch_on", "switch_off",
)  # fmt: skip
MACHINES = ("deliver", "deliver", "deliver", "build", "lose", "look_up", "skip", "finish", "join", "probe")


@dataclass
class Machine:
    """One broadcast, its flaky provider, and everything that was ever done to it."""

    studio: Studio
    broadcast_id: UUID
    mailing_id: UUID
    dice: random.Random
    provider: Told = field(default_factory=Told)
    did: list[str] = field(default_factory=list)
    held: bool = False
    refusing: bool = False
    kind: bool = False
    fitted: int = 0
    refused: int = 0

    @property
    def audience(self) -> Audience:
        """The account and newsletter it goes to."""
        return Audience(self.studio.desk.account_id, self.studio.desk.newsletter_id)

    async def act(self, name: str) -> None:
        """One act of a person; one that does not fit names the state and changes nothing."""
        before = await self.truth()
        self.did.append(name)
        refusal: str | None = None
        try:
            async with self.studio.web.transaction(self.audience.account_id) as tx:
                match name:
                    case "pause":
                        await acts.pause(tx, self.broadcast_id, "Ana")
                    case "resume":
                        await acts.resume(tx, self.broadcast_id)
                    case "cancel":
                        await acts.cancel(tx, self.broadcast_id, "Ana")
                    case "retry_failed":
                        await acts.retry_failed(tx, self.broadcast_id)
                    case "send_to_missing":
                        await acts.send_to_missing(tx, self.broadcast_id)
                    case "resolve":
                        await self._resolve(tx)
                    case _:
                        on = name == "switch_on"
                        await tx.execute(_SWITCH, account=self.audience.account_id, on=on)
                        self.held = on
        except Conflict as error:
            refusal = error.detail
        if refusal is None:
            self.fitted += 1
            return
        self.refused += 1
        assert re.search(r"This email is (scheduled|building|sending|paused|finished|cancelled)", refusal)
        assert await self.truth() == before, (name, refusal)

    async def _resolve(self, tx) -> None:
        """A person who knows the truth says it, of some or of all."""
        unsure = await tx.rows(_UNKNOWN, mailing=self.mailing_id)
        kept = {mail.delivery_id for mail in self.provider.taken}
        verdict = self.dice.choice(("sent", "planned"))
        told = [
            row.reader_id
            for row in unsure
            if (delivery_id(row.batch_id, row.reader_id) in kept) == (verdict == "sent")
        ]
        readers = None if len(told) == len(unsure) and self.dice.random() < 0.5 else told
        await acts.settle_unsure(tx, self.broadcast_id, verdict, readers or None if told else [], "Ana")

    async def step(self, name: str) -> None:
        """One part of a worker's round."""
        self.did.append(name)
        worker, account = self.studio.worker, self.audience.account_id
        match name:
            case "build":
                async with worker.transaction(account) as tx:
                    who = select_readers(self.audience.newsletter_id)
                    await record_chunk(tx, self.mailing_id, who, chunk=self.dice.choice((2, 5, 50)))
            case "deliver":
                await self._deliver()
            case "lose":
                await self._lose()
            case "look_up":
                await self._look_up()
            case "skip":
                async with worker.transaction(account) as tx:
                    await skip_chunk(tx, self.mailing_id, chunk=3)
            case "probe":
                async with worker.transaction() as tx:
                    await probe_soon(tx)
                await probe_refusing(worker)
                self.refusing = False
            case "finish":
                await delivery.finish(worker, account, self.mailing_id)
            case "join" if self.dice.random() < 0.2:
                await joined(self.studio.web, self.audience, f"{self.mailing_id.hex}-{len(self.did)}x", 1)

    async def _deliver(self) -> None:
        work = await self._permit()
        if work is None:
            return
        wanted = DeliverSends(self.mailing_id, self.dice.randint(1, 6))
        outcome, keeps = self._fate()
        self.provider.answer, self.provider.keep = (lambda mails: outcome), (lambda mails: keeps)
        batch = await delivery.claim(work, wanted, self.provider)
        assert batch is None or not self.refusing
        if batch is None:
            return
        said = await delivery.talk(batch, self.provider)
        if isinstance(said, Split) and len(batch.blanks) == 1:
            said = Refused("one of them is bad")
        if not self.kind and self.dice.random() < 0.1:  # somebody presses while the call is under way
            await self.act(self.dice.choice(PEOPLE))
        await delivery.settle(work, batch, said, self.provider)
        self.refusing = isinstance(said, Misconfigured)

    def _fate(self) -> tuple[Outcome, bool]:
        if self.kind:
            return Accepted(), True
        return self.dice.choice(
            [(Accepted(), True)] * 4
            + [(Unknown("no answer came"), kept) for kept in (True, False)]
            + [(Refused("no such user"), False), (Throttled("slow down"), False)]
            + [
                (NotReached("no such host"), False),
                (Misconfigured("401"), False),
                (Split("one is bad"), False),
            ]
        )

    async def _permit(self):
        async with self.studio.worker.transaction() as tx:
            await tx.execute("delete from job where kind = 'deliver_sends'")
        with suppress(IndexError):  # a switch stops the claim of the permit already
            return await permit(self.studio.worker, self.audience, DeliverSends(self.mailing_id, 6))
        return None

    async def _lose(self) -> None:
        async with self.studio.worker.transaction(self.audience.account_id) as tx:
            await tx.execute(_OVERDUE)
        await reconciliation.sweep(self.studio.worker)

    async def _look_up(self) -> None:
        async with self.studio.worker.transaction(self.audience.account_id) as tx:
            batch = await tx.value("select id from batch where state = 'unknown' order by id limit 1")
        work = await self._permit() if batch else None
        if work is None:
            return
        about = await reconciliation.question(work, batch)
        assert about is not None
        await reconciliation.resolve(work, about, await reconciliation.ask(about, self.provider))

    async def truth(self) -> tuple[str, bool, bool, dict[str, int]]:
        """The mailing's row and its copies, counted."""
        async with self.studio.worker.transaction(self.audience.account_id) as tx:
            row = await tx.row(_TRUTH, account=self.audience.account_id, mailing=self.mailing_id)
        assert row is not None
        return row.mailing, row.whole, row.cancelled_unsent, row.rows or {}

    async def check(self) -> None:
        """The figures are the rows, they add up, and every sentence of the page is true."""
        state, whole, unsent, rows = await self.truth()
        async with self.studio.web.transaction(self.audience.account_id) as tx:
            _, told = await read_broadcast(tx, self.broadcast_id)
        counted = {name: rows.get(name, 0) for name in ("sent", "failed", "skipped", "unknown", "sending")}
        assert {name: getattr(told, name) for name in counted} == counted, self.did[-5:]
        assert told.to_go == rows.get("planned", 0) + rows.get("sending", 0)
        assert told.audience == sum(rows.values()) == sum(count for _, _, count, _ in told.parts(""))
        self._check_sentences(told, state, whole, unsent)

    def _check_sentences(self, told: Progress, state: str, whole: bool, unsent: bool) -> None:
        shown = rendered("broadcasts/_progress.html", progress=told, url="/b", studio="/s", zone="UTC")
        said = " ".join(re.sub(r"<[^>]+>", " ", shown.split("progress-sentence")[1].split("</p>")[0]).split())
        claims = {
            "is paused": state == "paused",
            "was cancelled": state == "cancelled" and not unsent,
            "was taken back": state == "cancelled" and unsent,
            "Reading the audience": state == "building",
            "because a switch holds mail": state == "sending"
            and self.held
            and told.to_go > told.sending == 0,
            "refuses us: 401. Nothing is lost": told.stage == "refused"
            and state == "sending"
            and self.refusing
            and not self.held
            and told.to_go > told.sending == 0,
            "is going out": state == "sending" and told.to_go > 0 and told.stage == "going",
            "nothing was handed over for a while": state == "sending" and told.stage == "stalled",
            "Everybody got it": state == "finished" and told.sent == told.audience > 0,
            "Nobody was in the audience": state == "finished" and told.audience == 0,
            "are settled": state == "sending" and told.to_go == 0 and told.unknown > 0,
            "everybody had their turn": state == "sending" and told.to_go == told.unknown == 0,
            " got it;": state == "finished" and 0 <= told.sent < told.audience,
        }
        true = [words for words, holds in claims.items() if holds]
        assert len(true) == 1, (state, told)
        for words, holds in claims.items():
            assert (words in said) == holds, (said, words, state, told, self.did[-5:])
        if told.unknown:
            assert f"{told.unknown} unsure" in shown
        offered = set(re.findall(r'data-act="(\w+)"', shown))
        assert ("resume" in offered) == (state == "paused")
        left = told.to_go > 0 or not whole  # somebody may still be mailed
        assert ("pause" in offered) == (state == "building" or (state == "sending" and left))
        assert ("cancel" in offered) == (state in ("building", "paused") or (state == "sending" and left))
        assert ("missing" in offered) == (whole and state in ("sending", "paused", "finished"))
        assert ("retry" in offered) == (told.failed > 0 and state != "cancelled")

    async def until_over(self) -> None:
        """Let go, resume, and let machines work until nothing is left; then everybody is settled."""
        await self.act("switch_off")
        self.kind = True
        for _ in range(200):
            state, _, _, rows = await self.truth()
            if state == "paused":
                await self.act("resume")
            if state in ("finished", "cancelled") and not set(rows) & {"planned", "sending", "unknown"}:
                self.kind = False
                return
            for name in ("probe", "build", "deliver", "lose", "look_up", "skip", "finish"):
                await self.step(name)
            await self.check()
        raise AssertionError(f"it was never over: {await self.truth()}")

    def copies(self) -> dict[str, list[Mail]]:
        """What the provider has taken, by address."""
        found: dict[str, list[Mail]] = {}
        for mail in self.provider.taken:
            found.setdefault(mail.to, []).append(mail)
        return found
