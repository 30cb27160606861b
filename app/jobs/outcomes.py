"""What a handler may answer, and what each means for its job.

| outcome    | the job becomes                                   | counts as an attempt |
|------------|---------------------------------------------------|----------------------|
| Done       | done                                              | yes                  |
| Continue   | ready again, at once or at a time                 | no                   |
| Retry      | ready later; dead on the last try                 | yes                  |
| Throttled  | ready at a time                                   | no (E6)              |
| Refused    | dead at once, with the reason                     | yes                  |
| Unknown    | held, or ready, by its kind; held on the last try | yes                  |
| Held       | held, for a person or whoever lets go             | no                   |
| Superseded | superseded                                        | yes                  |
| Discard    | discarded                                         | yes                  |

An exception that escapes a handler is a Retry with its class and message.

`detail` is kept on the attempt: what was said and answered, as JSON, short and free of NUL.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

Detail = Mapping[str, object] | None


@dataclass(frozen=True)
class Done:
    """It is done."""

    detail: Detail = None


@dataclass(frozen=True)
class Continue:
    """A slice of long work is committed; there is more, at once or not before `at`."""

    at: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Retry:
    """It failed in a way that may pass. `after` is seconds from now; None: by the back-off."""

    reason: str
    after: float | None = None
    detail: Detail = None


@dataclass(frozen=True)
class Throttled:
    """The other side asked for patience: not an attempt (E6). `after` is seconds from now.

    `put_off`: the seconds put off until then, all in all, for a handler whose patience ends; its next try
    finds it in the attempt's detail.
    """

    reason: str
    after: float
    put_off: float | None = None
    detail: Detail = None


@dataclass(frozen=True)
class Refused:
    """It can never work; final at once, with the reason (E6)."""

    reason: str
    detail: Detail = None


@dataclass(frozen=True)
class Unknown:
    """Handed over without an answer; nobody can tell yet whether it happened.

    `held`: a person must decide, whatever the kind does otherwise.
    """

    reason: str
    held: bool = False


@dataclass(frozen=True)
class Held:
    """Nothing was done, and nothing is to be done until somebody lets it go: not an attempt."""

    reason: str


@dataclass(frozen=True)
class Superseded:
    """A newer one made it pointless."""

    reason: str


@dataclass(frozen=True)
class Discard:
    """It should not happen any more."""

    reason: str


Outcome = Done | Continue | Retry | Throttled | Refused | Unknown | Held | Superseded | Discard
