"""The states of an act on many readers.

| from \\ on | its worker begins | its last reader | it cannot go on |
|-----------|-------------------|-----------------|-----------------|
| queued    | running           | done            | failed          |
| running   |                   | done            | failed          |

done and failed are final. What was done stays done; taking it back is an act of its own.
"""

from typing import Literal, get_args

BulkState = Literal["queued", "running", "done", "failed"]
BULK_STATES: tuple[BulkState, ...] = get_args(BulkState)

Act = Literal["tag", "untag", "unsubscribe", "erase"]
ACTS: tuple[Act, ...] = get_args(Act)
#: What nobody can take back is asked for by typing.
TYPED: tuple[Act, ...] = ("unsubscribe", "erase")
