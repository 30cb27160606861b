"""Imports: readers brought along from another product, a file at a time.

Owns the tables import, import_file and import_problem, and the pages that take a file and show
what came of it. The file is kept until its import is over; every row that was not taken is kept
with its row, line and reason.

Words: an *upload* is the file as a table (uploads, encodings), a *format* what its columns mean
(formats/), a *row* a reader as the file has them (rows), an *import* the run of one file into one
newsletter (runs). A row is created, updated, unchanged, skipped or failed.

Promises:
 N1 Created + updated + unchanged + skipped + failed = rows read, at every moment.
 N2 An import killed at any instant goes on where its last commit ended: nobody twice, nobody missed.
 N3 An import ends: done, also when rows failed; failed, with the reason, when nothing could be used.
 N4 The same file again changes nothing.
 N5 No import lifts an unsubscribe, a block or an erasure (readers R2, R4), and none sends mail.
 N6 What is no table of readers is refused before anything is kept.

Job: import_readers (queue imports). States in states.py.
"""

from app.imports.queries import ImportView, import_problems, import_view
from app.imports.runs import NewImport, start_import

__all__ = [
    "ImportView",
    "NewImport",
    "import_problems",
    "import_view",
    "start_import",
]
