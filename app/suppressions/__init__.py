"""Suppressions: addresses that must not be mailed, and why.

Owns the table suppression, a row an account and address. It is keyed by the address and not by
the reader: it stands before anybody joins and outlives a reader who is erased or comes back.
Unsubscribed is something else: a reader's own choice about one newsletter (see readers).

Words: a creator reads *blocked address*. A reason is `bounce`, `complaint`, `erased` or
`by_hand`.

Promises:
 S1 A blocked address is mailed nothing: the view `mailable`, which every claim reads, leaves it out.
 S2 The first reason stays: blocking again changes nothing.
 S3 Nobody is unblocked by an import, the API or by being added again.
"""

from app.suppressions.blocking import suppress, suppress_many, suppression_of
from app.suppressions.reasons import REASONS, Suppression

__all__ = ["REASONS", "Suppression", "suppress", "suppress_many", "suppression_of"]
