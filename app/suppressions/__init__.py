"""Suppressions: addresses that must not be mailed, and why.

Owns the tables suppression, a row an account and address, and suppression_change, its record. Both are
keyed by the address and not by the reader: they stand before anybody joins and outlive a reader who is
erased or comes back. Unsubscribed is something else: a reader's own choice about one newsletter (readers).

Words: a creator reads *blocked address*; a block is *lifted*. A reason is `bounce`, `complaint`,
`erased` or `by_hand`. *Recalled*: known again by the hash that an erased reader left.

Promises:
 S1 A blocked address is mailed nothing: the view `mailable`, which every claim reads, leaves it out.
 S2 The first reason stays: blocking again changes nothing.
 S3 Nobody is unblocked by an import, the API or by being added again.
 S4 A complaint is lifted by the reader alone, a bounce by them or an owner who says why, a block by
    hand by an owner (reasons.py; the table refuses any other).
 S5 Every block and every lift is on the record, with who and why, in the statement that makes it.
 S6 The block of an erased reader is kept as a keyed hash of the address, also one that is learned of after
    the erasure, and holds when they return: not when somebody asks, but when they are subscribed.
"""

from app.suppressions.blocking import (
    block_history,
    suppress,
    suppress_erased,
    suppress_many,
    suppression_of,
)
from app.suppressions.hashing import forget_address, hash_of, recall
from app.suppressions.lifting import unblock
from app.suppressions.reasons import REASONS, BlockChange, Reason, Suppression, may_unblock

__all__ = [
    "REASONS",
    "BlockChange",
    "Reason",
    "Suppression",
    "block_history",
    "forget_address",
    "hash_of",
    "may_unblock",
    "recall",
    "suppress",
    "suppress_erased",
    "suppress_many",
    "suppression_of",
    "unblock",
]
