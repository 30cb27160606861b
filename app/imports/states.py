"""The states of an import.

| from    | to      | when                                                       |
|---------|---------|------------------------------------------------------------|
| queued  | running | its job is begun                                           |
| queued  | failed  | its file cannot be read                                    |
| running | done    | every row was read and at least one reader is what it says |
| running | failed  | every row was read and none could be used, or it broke     |

Done and failed are final.
"""

from typing import Literal, get_args

ImportState = Literal["queued", "running", "done", "failed"]
IMPORT_STATES: tuple[ImportState, ...] = get_args(ImportState)
