"""Promises of the ledger (L): one function each, on rows alone."""

from collections import Counter, defaultdict
from collections.abc import Callable
from uuid import UUID, uuid5

from app.proof.chaos.asking import Entry
from app.proof.chaos.books import Books, Logs, MailRow, SendRow
from app.proof.chaos.findings import Finding, acts_of, found_in

#: A claim that waited for a lock read its rows before it wrote its time: so long (s) it may have.
CLAIMED = 2.0
_EVER = float("inf")


def one_copy_a_reader(books: Books, logs: Logs) -> list[Finding]:
    """L1: nobody has a mailing twice, but for those whom the books name as possible doubles."""
    mailing = {batch.id: batch.mailing for batch in books.batches}
    copies: dict[tuple[UUID, str], list[MailRow]] = defaultdict(list)
    for mail in logs.mails:
        if mail.kind == "broadcast" and mail.batch in mailing:
            copies[mailing[mail.batch], mail.to].append(mail)
    named = {
        (send.mailing, send.address) for send in books.sends if (send.mailing, send.reader) in books.doubles
    }
    found = [(key, len(mails)) for key, mails in copies.items() if len(mails) > 1 and key not in named]
    return found_in("L1", "readers have a mailing more than once, and nobody says so", found)


def nobody_is_missing(books: Books, logs: Logs) -> list[Finding]:
    """L2: who was a reader before the press, and stayed one, is in the audience of what was not cancelled,
    and is not skipped."""
    mailing = {one.broadcast: one for one in books.mailings}
    readers: dict[UUID, set[UUID]] = defaultdict(set)
    for send in books.sends:
        if send.state != "skipped":
            readers[send.mailing].add(send.reader)
    left = {entry.told.get("reader") for entry in acts_of(logs, "unsubscribe", "erase")}
    found: list[tuple[str, str]] = []
    for entry in acts_of(logs, "broadcast"):
        one = mailing.get(entry.told["broadcast"]) if entry.done else None
        if entry.done and one is None:
            found.append(
                (entry.account, f"broadcast {entry.told['broadcast']} was promised and is not there")
            )
        if one is None or one.state in ("cancelled", "building"):
            continue
        here = readers[one.id] | books.suppressed
        missing = [r for r in entry.told["audience"] if r not in left and UUID(r) not in here]
        found += [(str(one.id), f"reader {reader}") for reader in missing]
    return found_in("L2", "readers are missing from an audience", found)


def all_is_settled(books: Books, logs: Logs) -> list[Finding]:
    """L2: of a finished mailing every copy was sent, failed or was skipped."""
    over = {one.id for one in books.mailings if one.state == "finished"}
    open_ = [send for send in books.sends if send.mailing in over and send.state in ("planned", "sending")]
    return found_in("L2", "finished mailings have copies that are not settled", open_)


def no_mail_without_a_claim(books: Books, logs: Logs) -> list[Finding]:
    """L3: each mail of a mailing was claimed in a batch, for a reader of it and to their address."""
    of = defaultdict[UUID, list[SendRow]](list)
    for send in books.sends:
        of[send.mailing].append(send)
    claimed = {(one.id, uuid5(one.id, str(s.reader))): s for one in books.batches for s in of[one.mailing]}
    strange, astray, forgotten = list[MailRow](), list[MailRow](), list[MailRow]()
    for mail in (mail for mail in logs.mails if mail.kind == "broadcast"):
        send = claimed.get((mail.batch, mail.delivery))
        if send is None:
            strange.append(mail)
        elif send.address not in (None, mail.to):  # None: of who was erased since
            astray.append(mail)
        elif send.state != "sent":
            forgotten.append(mail)
    kept = {mail.delivery for mail in logs.mails}
    lacking = [
        send
        for send in books.sends
        if send.state == "sent" and send.batch and uuid5(send.batch, str(send.reader)) not in kept
    ]
    return [
        *found_in("L3", "mails left that nobody had claimed", strange),
        *found_in("L3", "mails left for another address than was claimed", astray),
        *found_in("L3", "mails left, and the books do not call them sent", forgotten),
        *found_in("L1", "copies are called sent that the provider does not have", lacking),
    ]


def unknowns_are_not_guessed(books: Books, logs: Logs) -> list[Finding]:
    """L4: what nobody knows is unknown in the books, in a batch that is; nothing is being called any more."""
    state = {batch.id: batch.state for batch in books.batches}
    calling = [batch for batch in books.batches if batch.state == "calling"]
    wrong = [send for send in books.sends if send.state == "unknown" and state.get(send.batch) != "unknown"]  # type: ignore[arg-type]
    return [
        *found_in("L4", "batches are still being called when all is quiet", calling),
        *found_in("L4", "copies are unknown in a batch that is settled", wrong),
    ]


def who_left_is_left_alone(books: Books, logs: Logs) -> list[Finding]:
    """L5: no claim that began after an unsubscribe or erasure was answered has that reader."""
    called = {batch.id: batch.called for batch in books.batches}
    left = {
        (one.account, one.told["email"]): one.answered
        for one in acts_of(logs, "unsubscribe", "erase")
        if one.done
    }
    found = [
        mail
        for mail in logs.mails
        if mail.kind == "broadcast"
        and mail.batch in called
        and called[mail.batch] > left.get((mail.account, mail.to), float("inf")) + CLAIMED
    ]
    return found_in("L5", "readers were mailed by claims that began after they had left", found)


def what_stops_is_stopped(books: Books, logs: Logs) -> list[Finding]:
    """L5: no claim begins between a pause, cancel or stop that was answered and its end."""
    broadcast = {mailing.id: mailing.broadcast for mailing in books.mailings}
    stops = [
        *_spans(logs, "pause", "resume", of=lambda one: one.told["broadcast"]),
        *_spans(logs, "cancel", "", of=lambda one: one.told["broadcast"]),
        *_spans(logs, "switch_on", "switch_off", of=lambda one: one.account),
    ]
    found = [
        (batch, f"{what} from {since:.3f} to {until:.3f}")
        for batch in books.batches
        for what, since, until in stops
        if what in (batch.account, broadcast.get(batch.mailing)) and since + CLAIMED < batch.called < until
    ]
    return found_in("L5", "claims began while mail was stopped", found)


def the_same_bytes(books: Books, logs: Logs) -> list[Finding]:
    """L6: what is handed over once more is the same to the last octet."""
    octets = defaultdict[UUID, set[str]](set)
    for mail in logs.mails:
        octets[mail.delivery].add(mail.digest)
    return found_in(
        "L6", "a mail was handed over again with other bytes", [k for k, v in octets.items() if len(v) > 1]
    )


def figures_add_up(books: Books, logs: Logs) -> list[Finding]:
    """L7: the tallies are the truth."""
    truth = defaultdict[UUID, Counter[str]](Counter)
    for send in books.sends:
        truth[send.mailing][send.state] += 1
    told = {mailing: {k: n for k, n in tally.items() if n} for mailing, tally in books.tallies.items()}
    wrong = [
        (one.id, told.get(one.id, {}), dict(truth[one.id]))
        for one in books.mailings
        if told.get(one.id, {}) != dict(truth[one.id])
    ]
    return found_in("L7", "tallies are not the truth", wrong)


def reasons_stand(books: Books, logs: Logs) -> list[Finding]:
    """L8: what was not sent says why."""
    silent = [
        send for send in books.sends if send.state in ("failed", "skipped", "unknown") and not send.reason
    ]
    paused = [one for one in books.mailings if one.state == "paused" and not one.reason]
    return found_in("L8", "there is no reason", [*silent, *paused])


def _spans(
    logs: Logs, stop: str, start: str, *, of: Callable[[Entry], str]
) -> list[tuple[str, float, float]]:
    """From when a stop was answered until anybody may have begun to end it."""
    starts = acts_of(logs, start) if start else []
    return [
        (
            of(one),
            one.answered,
            min((s.begun for s in starts if of(s) == of(one) and s.answered > one.begun), default=_EVER),
        )
        for one in acts_of(logs, stop)
        if one.done
    ]
