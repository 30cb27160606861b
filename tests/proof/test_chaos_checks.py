"""Each check of chaos can fail: a lie in small made-up books and logs is found by its promise."""

import inspect
import re
from collections.abc import Callable
from uuid import UUID

import pytest

from app.proof.chaos import CHECKS, check
from app.proof.chaos.asking import Entry
from app.proof.chaos.books import (
    BatchRow,
    EndpointRow,
    MailRow,
)
from tests.proof.chaos_scene import (
    ANNA,
    BEN,
    MAILING,
    OTHER,
    STEADY,
    Scene,
    act,
    address,
    asked_for,
    body,
    called,
    delivery,
    event,
    found,
    handed_meanwhile,
    job,
    left_behind,
    lost,
    mailed,
    passed_by,
    retried,
    sent,
    tried,
)


def test_books_and_logs_that_fit_show_nothing() -> None:
    assert found(Scene()) == set()


Lie = Callable[[Scene], object]
LIES: list[tuple[str, str, Lie]] = [
    ("E2", "a job is due and nobody is at it", lambda s: s.books.jobs.append(job(3, state="ready"))),
    ("E2", "a job is leased for ever", lambda s: s.books.jobs.append(job(3, state="leased"))),
    ("L8", "a job is held without a word", lambda s: s.books.jobs.append(job(3, state="held"))),
    (
        "E3",
        "two held one job",
        lambda s: s.books.attempts.append(tried(1, 100.5, 102, lease=3)._replace(outcome="retry")),
    ),
    (
        "E4",
        "a lease was settled twice",
        lambda s: s.books.attempts.append(tried(1, 101, 102)._replace(outcome="retry")),
    ),
    ("E4", "a job was done twice", lambda s: s.books.attempts.append(tried(1, 110, 111, lease=9))),
    (
        "E5",
        "a job has two deliveries",
        lambda s: s.books.deliveries.append(delivery(1)._replace(redelivery=1)),
    ),
    ("E5", "an event has two deliveries", lambda s: s.books.deliveries.append(delivery(1)._replace(job=9))),
    ("E8", "a slot has two jobs", lambda s: s.books.slots.append(("prune jobs@1", 91))),
    (
        "E8",
        "a slot was run twice",
        lambda s: s.books.attempts.extend([tried(90, 1, 2, lease=5), tried(90, 3, 4, lease=6)]),
    ),
    ("E6", "a throttle was counted", lambda s: retried(s, "throttled", 2)),
    ("E6", "a try was not counted", lambda s: s.books.jobs.__setitem__(0, job(1)._replace(attempts=5))),
    ("E6", "a refusal was tried again", lambda s: retried(s, "refused", 2)),
    ("E10", "others went first", lambda s: passed_by(s, 50)),
    ("E11", "a lease ran out unseen", lambda s: s.books.attempts.append(lost(1, 1, 80))),
    ("L9", "few behind many", lambda s: s.books.batches.extend(handed_meanwhile(200))),
    ("L10", "a message was thrown away", lambda s: asked_for(s, "discarded")),
    ("L10", "a copy stays behind", lambda s: s.books.mailings.append(left_behind(s))),
    ("E2", "an event has no number", lambda s: s.books.events.append(event(3)._replace(body=None))),
    ("E3", "two calls of a lane at once", lambda s: s.logs.calls.__setitem__(0, called(1, 100.5, delay=3))),
    ("E7", "an older one after a newer", lambda s: s.logs.calls.append(called(1, 104))),
    ("L1", "a reader has it twice", lambda s: s.logs.mails.append(mailed(ANNA))),
    ("L1", "the provider lacks one", lambda s: s.logs.mails.pop()),
    ("L2", "a reader is missing", lambda s: s.logs.diary[0].told["audience"].append(str(UUID(int=3)))),
    ("L2", "a reader was skipped", lambda s: s.books.sends.__setitem__(0, sent(ANNA, "skipped", None))),
    (
        "L2",
        "a finished mailing has a copy left",
        lambda s: s.books.sends.append(sent(UUID(int=4), "planned", None)),
    ),
    (
        "L8",
        "a copy failed without a word",
        lambda s: s.books.sends.append(sent(UUID(int=4), "failed")._replace(reason=None)),
    ),
    ("L3", "it went elsewhere", lambda s: s.logs.mails.append(mailed(ANNA)._replace(to="r9@example.org"))),
    ("L3", "it left and counts as failed", lambda s: s.books.sends.__setitem__(0, sent(ANNA, "failed"))),
    ("L3", "nobody claimed it", lambda s: s.logs.mails.append(mailed(UUID(int=9), OTHER))),
    (
        "L4",
        "a call never ended",
        lambda s: s.books.batches.append(BatchRow("a", OTHER, MAILING, "calling", 100)),
    ),
    ("L4", "unknown, and settled", lambda s: s.books.sends.append(sent(UUID(int=4), "unknown"))),
    (
        "L5",
        "claimed after she left",
        lambda s: s.logs.diary.append(act("unsubscribe", 90, email=address(ANNA), reader=str(ANNA))),
    ),
    ("L5", "claimed while mail was stopped", lambda s: s.logs.diary.append(act("switch_on", 90))),
    ("L6", "other bytes", lambda s: s.logs.mails.append(mailed(ANNA, digest="other"))),
    ("L7", "the tally is wrong", lambda s: s.books.tallies.update({MAILING: {"sent": 3}})),
    (
        "M1",
        "a message went twice",
        lambda s: s.logs.mails.extend([MailRow("a", OTHER, OTHER, "message", "x@e", "m", 1, "d")] * 2),
    ),
    (
        "M1",
        "one key, two mails",
        lambda s: s.logs.mails.extend(
            MailRow("a", OTHER, UUID(int=n), "message", "order-1@e", "m", 1, "d") for n in (1, 2)
        ),
    ),
    (
        "M1",
        "one key, two messages",
        lambda s: s.logs.diary.extend(act("message", 1, id=one, key="k") for one in ("1", "2")),
    ),
    (
        "M2",
        "a code waits",
        lambda s: s.books.jobs.append(job(3, state="ready", queue="codes_readers")._replace(run_in=9.0)),
    ),
    ("E2", "a message was promised", lambda s: s.logs.diary.append(act("message", 1, id="77", key="k"))),
    ("W1", "a confirmation nobody told of", lambda s: s.logs.diary.append(act("confirm", 1, email="c@e"))),
    ("W1", "a release nobody told of", lambda s: s.books.releases.add(("a", 3))),
    ("W1", "a call of no event", lambda s: s.logs.calls.append(called(9, 105))),
    ("W1", "a promise of no release", lambda s: s.logs.diary.append(act("publish", 1, release=9))),
    (
        "W1",
        "a reader joined in silence",
        lambda s: s.logs.diary.append(Entry("add_reader", "a", 1, 2, 201, {"reader": str(UUID(int=8))})),
    ),
    (
        "W1",
        "a reader left in silence",
        lambda s: s.logs.diary.append(act("unsubscribe", 200, email="b@e", reader=str(BEN))),
    ),
    ("W1", "told of what never was", lambda s: s.books.releases.remove(("a", 2))),
    ("W1", "an event was not delivered", lambda s: s.books.deliveries.pop()),
    (
        "W1",
        "a webhook was never told anything",
        lambda s: s.books.endpoints.append(EndpointRow("a", "/a/2/steady", "active", 1)),
    ),
    ("W2", "the same id, other bytes", lambda s: s.logs.calls.append(called(2, 102.6, body(2) + b" "))),
    ("W4", "done, but never taken", lambda s: s.logs.calls.pop()),
    ("W4", "a call that is no try", lambda s: s.logs.calls.insert(0, called(1, 99))),
    ("W4", "nobody signed it", lambda s: s.logs.secrets.update({STEADY: ["whsec_c2VjcmV0"]})),
    ("T1", "rows without an account", lambda s: s.books.without_account.update({"reader": 1})),
]


@pytest.mark.parametrize(("promise", "why", "lie"), LIES, ids=[why for _, why, _ in LIES])
def test_a_lie_is_found(promise: str, why: str, lie: Lie) -> None:
    scene = Scene()
    lie(scene)
    assert promise in found(scene), why


def test_every_sentence_of_every_check_is_shown_by_a_lie() -> None:
    """A sentence that nothing can bring about would say of every run that all is well."""
    sources = {inspect.getsource(inspect.getmodule(one)) for one in CHECKS}  # type: ignore[arg-type]
    known = {told for source in sources for told in re.findall(r'found_in\(\s*"(\w+)",\s*"([^"]+)"', source)}
    shown = set[tuple[str, str]]()
    for _, _, lie in LIES:
        scene = Scene()
        lie(scene)
        shown |= {(one.promise, one.sentence.partition(": ")[2]) for one in check(scene.books, scene.logs)}
    assert len(known) > len(CHECKS)
    assert shown == known
