"""What the checks of chaos let pass, and why: it is no breach of the promise."""

import pytest

from app.proof.chaos.books import (
    AttemptRow,
    MailRow,
)
from tests.proof.chaos_scene import (
    ANNA,
    MAILING,
    OTHER,
    Scene,
    act,
    address,
    asked_for,
    called,
    found,
    handed_meanwhile,
    job,
    mailed,
    passed_by,
    retried,
    tried,
)


def test_a_possible_double_that_the_books_name_is_none() -> None:
    """L1: as far as the provider's record can tell, and never silent."""
    scene = Scene()
    scene.logs.mails.append(mailed(ANNA))
    scene.books.doubles.add((MAILING, ANNA))
    assert found(scene) == set()


def test_an_older_release_after_a_newer_one_is_found_unless_its_process_stood_still() -> None:
    """E7."""
    scene = Scene()
    scene.logs.calls.append(called(1, 104))
    assert found(scene) == {"E7"}
    scene.books.attempts.append(tried(1, 100, 104.5, lease=1, late=True, pid=8))
    scene.logs.frozen = [(8, 100.2, 103.9)]
    assert found(scene) == set()


def test_two_calls_of_one_lane_at_once_are_found() -> None:
    """E3."""
    scene = Scene()
    scene.logs.calls[0] = called(1, 100.5, delay=3)
    assert found(scene) == {"E3"}


def test_a_caller_that_hung_up_is_not_at_the_receiver_any_more() -> None:
    """E3: it was heard late, so it hung up early, and said so before the next began."""
    scene = Scene()
    scene.books.attempts[0] = tried(1, 98, 101)._replace(outcome="retry")
    scene.books.attempts[1] = tried(2, 101.1, 103, lease=2)
    scene.logs.calls = [called(1, 99.5, delay=5), called(2, 101.2)]
    assert found(scene) == set()
    scene.books.attempts[0] = tried(1, 98, 101.5)._replace(outcome="retry")
    assert found(scene) == {"E3"}
    scene.books.attempts[0] = tried(1, 98, 101)
    assert found(scene) == {"E3"}, "whoever calls it done had waited for the answer"


@pytest.mark.parametrize("how", ["unsubscribe", "erase"])
def test_a_claim_after_a_reader_left_is_found(how: str) -> None:
    """L5."""
    scene = Scene()
    scene.logs.diary = [act(how, 90, email=address(ANNA), reader=str(ANNA))]
    assert found(scene) == {"L5"} | ({"W1"} if how == "unsubscribe" else set())


def test_a_claim_while_mail_is_stopped_is_found_and_one_after_it_is_none() -> None:
    """L5."""
    scene = Scene()
    stop = act("switch_on", 90)
    scene.logs.diary = [stop]
    assert found(scene) == {"L5"}
    scene.logs.diary = [stop, act("switch_off", 99)]
    assert found(scene) == set()
    scene.logs.diary = [act("pause", 90, broadcast="b1"), act("resume", 101, broadcast="b1")]
    assert found(scene) == {"L5"}


def test_what_is_late_is_no_second_settle() -> None:
    """E4: a result that came after the lease was lost is on record, and nothing else."""
    scene = Scene()
    scene.books.attempts.append(replace_late(tried(1, 100, 105)))
    assert found(scene) == set()


def replace_late(one: AttemptRow) -> AttemptRow:
    return one._replace(late=True)


def test_tries_that_a_person_or_a_throttle_began_anew_are_counted_right() -> None:
    """E6: put off, the next try has the same number; a person's retry begins at one."""
    scene = Scene()
    retried(scene, "throttled", 1)
    assert found(scene) == set()
    scene = Scene()
    retried(scene, "refused", 1)
    assert found(scene) == set()
    scene = Scene()
    retried(scene, "retry", 2)
    assert found(scene) == set()


def test_who_has_much_due_waits_for_its_own() -> None:
    """E10: turn by turn; and a publication whose mail is stopped is passed by."""
    scene = Scene()
    passed_by(scene, 50, own=45)
    assert found(scene) == set()
    scene = Scene()
    passed_by(scene, 50)
    scene.logs.diary = [act("switch_on", 250), act("switch_off", 400)]
    assert found(scene) == set()


@pytest.mark.parametrize("how", ["put off", "slow", "stopped", "paused", "refused"])
def test_a_mailing_that_something_befell_may_wait(how: str) -> None:
    """L9: what others are given meanwhile says nothing then."""
    scene = Scene()
    scene.books.batches.extend(handed_meanwhile(200))
    scene.books.jobs.append(job(7, "deliver_sends", queue="sends"))
    permit = tried(7, 101, 102, lease=50)
    assert found(scene) == {"L9"}
    match how:
        case "put off":
            scene.books.jobs[-1] = scene.books.jobs[-1]._replace(attempts=0)
            scene.books.attempts.append(permit._replace(outcome="throttled"))
        case "slow":
            scene.books.attempts.append(permit._replace(ended=109))
        case "stopped":
            scene.logs.diary.extend([act("switch_on", 101), act("switch_off", 108)])
        case "paused":
            scene.logs.diary.extend([act("pause", 101, broadcast="b1"), act("resume", 108, broadcast="b1")])
        case _:
            scene.books.batches[-1] = scene.books.batches[-1]._replace(state="refused")
    assert "L9" not in found(scene)


def test_a_message_to_an_erased_reader_goes_nowhere() -> None:
    """L10: that is no loss."""
    scene = Scene()
    asked_for(scene, "discarded", "the reader was erased")
    assert found(scene) == set()


@pytest.mark.parametrize("state", ["ready", "leased"])
def test_a_turn_that_came_while_it_was_looked_is_no_loss(state: str) -> None:
    """E2: repeated work becomes due at its time, quiet or not; an old turn is found, and what else is due."""
    scene = Scene()
    scene.books.jobs.append(job(90, "prune_jobs", state, "housekeeping")._replace(run_in=-0.8))
    assert found(scene) == set()
    scene.books.slots.clear()
    assert found(scene) == {"E2"}
    scene.books.slots.append(("prune jobs@1", 90))
    scene.books.jobs[-1] = scene.books.jobs[-1]._replace(run_in=-30.0)
    assert found(scene) == {"E2"}


def test_a_note_to_the_team_may_come_again_and_a_message_may_not() -> None:
    """M1: after a worker died, as the catalogue of mails says; within bounds."""
    scene = Scene()
    note = MailRow("a", OTHER, OTHER, "message", "x@e", "It is out", 1, "d")
    scene.logs.mails.extend([note] * 2)
    assert found(scene) == {"M1"}
    scene.books.repeatable.add(OTHER)
    assert found(scene) == set()
    scene.logs.mails.extend([note] * 4)
    assert found(scene) == {"M1"}
