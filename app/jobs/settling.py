"""What the settle statement writes for an outcome."""

from app.jobs.outcomes import (
    Continue,
    Discard,
    Done,
    Held,
    Outcome,
    Refused,
    Retry,
    Superseded,
    Throttled,
    Unknown,
)
from app.jobs.registry import ClaimedJob, kind_named

_REASON_LENGTH = 2000


def settlement(job: ClaimedJob, outcome: Outcome) -> dict[str, object]:
    """What the settle statement writes for an outcome (the table in outcomes.py)."""
    state, after, run_at, counted, throttled = "done", None, None, True, False
    reason = _storable(getattr(outcome, "reason", None))
    detail: dict[str, object] = dict(getattr(outcome, "detail", None) or {})
    match outcome:
        case Done():
            pass
        case Continue(at=at):
            state, run_at, counted = "ready", at, False
        case Retry(after=wait):
            state = "ready" if job.attempts < job.max_attempts else "dead"
            reason = reason or "failed without a reason"
            after = kind_named(job.kind).backoff.after(job.attempts) if wait is None else wait
        case Throttled(after=wait, put_off=put_off):
            state, after, counted, throttled = "ready", wait, False, True
            detail |= {} if put_off is None else {"put_off": put_off}
        case Refused():
            state, reason = "dead", reason or "refused without a reason"
        case Unknown(held=held):
            last = job.attempts >= job.max_attempts
            state = "held" if held or job.on_unknown == "held" or last else "ready"
            reason = reason or "nobody can tell whether it happened"
        case Held():
            state, counted = "held", False
        case Superseded():
            state = "superseded"
        case Discard():
            state = "discarded"
    return {
        "id": job.id,
        "account_id": job.account_id,
        "lease": job.lease,
        "number": job.attempts,
        "started_at": job.leased_at,
        "outcome": type(outcome).__name__.lower(),
        "state": state,
        "after": after,
        "run_at": run_at,
        "counted": counted,
        "throttled": throttled,
        "reason": reason,
        "detail": detail | ({"reason": reason} if reason else {}),
    }


def _storable(reason: str | None) -> str | None:
    """Text that the database takes, whatever the other side said: no NUL, no half of a character."""
    if not reason:
        return None
    return reason.replace("\0", "")[:_REASON_LENGTH].encode("utf-8", "replace").decode("utf-8") or None
