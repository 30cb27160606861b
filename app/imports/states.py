"""The states of an import.

| from    | to      | when                                                          |
|---------|---------|---------------------------------------------------------------|
| waiting | queued  | a person said what the columns of its file mean               |
| queued  | running | its job is begun                                              |
| waiting | failed  | a person gave it up, or nobody said so within a week          |
| queued  | failed  | its file cannot be read                                       |
| running | done    | every row was read and at least one reader is what it says    |
| running | failed  | every row was read and none could be used, or it broke        |
| queued  | failed  | its job was given up; the same of one that is running         |
| done    | undoing | a person undoes it; not a dry run's, which changed nothing    |
| failed  | undoing | the same, of one that broke after it had brought somebody     |
| undoing | undone  | what it made is gone and what it wrote over is back           |
| undoing | failed  | its undoing was given up; it can be undone again              |

Undone is final; so are done and failed unless somebody undoes them.
"""

from typing import Literal, get_args

ImportState = Literal["waiting", "queued", "running", "done", "failed", "undoing", "undone"]
IMPORT_STATES: tuple[ImportState, ...] = get_args(ImportState)
