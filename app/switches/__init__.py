"""Switches: mail stopped by a person, for one account or for everybody, and let go again by one.

Owns: whether mail may go. The switch of an account is its team's, and the operators'; the one of
account 0, the platform, stops everybody and is the operators' alone. A switch stops `all` mail or
only `bulk` (what the ledger sends to readers). It needs a reason, and keeps who and since when.

Words: *stopped* (nothing is begun), *holding* (what waited still waits, also after mail was
started again or less of it is stopped, until somebody lets it go), *held scope* (the widest that
was stopped since), *let go* (once; each mail is claimed anew, so consent is read again).

Promises
- L5 Every claim begun after a switch goes on respects it: the claims of jobs and of the ledger
  ask `mail_stopped` in the statement that claims.
- L10 Held is never lost: copies stay planned and messages ready, and letting go changes one row.
- M2 Sign-in codes are never held: while all mail of the platform is stopped they are discarded
  (`codes_stopped`), and the sign-in page says so.
- A database restored from a backup, or taken over by a standby, stops all mail of the platform by
  itself before anything is claimed (`restored`): what it plans may have gone out since.
- Every change stands in switch_change: who, when, why.

Tables: switch, switch_change, installation (functions look_back, mail_stopped, codes_stopped,
platform_switch; for operators set_switch, let_go, held_mail). Jobs: none. Its pages and its API stand in ops.
"""

from app.switches.changes import let_go, operator_let_go, operator_set, start, stop
from app.switches.checks import (
    SCOPES,
    Change,
    Held,
    OperatorSwitch,
    Switch,
    Switches,
    changes_everywhere,
    changes_of,
    held_everywhere,
    switch_of,
    switches_everywhere,
    switches_of,
)
from app.switches.restored import EVERY as LOOK_EVERY
from app.switches.restored import look_back, look_back_first

__all__ = [
    "LOOK_EVERY",
    "SCOPES",
    "Change",
    "Held",
    "OperatorSwitch",
    "Switch",
    "Switches",
    "changes_everywhere",
    "changes_of",
    "held_everywhere",
    "let_go",
    "look_back",
    "look_back_first",
    "operator_let_go",
    "operator_set",
    "start",
    "stop",
    "switch_of",
    "switches_everywhere",
    "switches_of",
]
