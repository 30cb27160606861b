"""Imports: readers brought along from another product, a file at a time.

Owns the tables import, import_file, import_problem, import_change and import_loss, and the pages that take a
file and show what came of it. The file is kept until its import is over, that of a dry run a week; every row
that was not taken is kept with its row, line and reason.

Words: an *upload* is the file as a table (uploads, encodings), a *format* what its columns mean
(formats/), a *row* a reader as the file has them (rows), an *import* the run of one file into one
newsletter (runs). A row is created, updated, unchanged, skipped or failed. A *dry run* reports and changes
nothing; *undoing* takes back what an import did (undoing). A *mapping* says what the columns of any CSV mean.

Promises:
 N1 Created + updated + unchanged + skipped + failed = rows read, at every moment.
 N2 An import killed at any instant goes on where its last commit ended: nobody twice, nobody missed.
 N3 An import ends: done, also when rows failed; failed, with the reason, when nothing could be used.
 N4 The same file again changes nothing.
 N5 No import lifts an unsubscribe, a block or an erasure (readers R2, R4), and none sends mail.
 N6 What is no table of readers is refused before anything is kept.
 N7 A dry run's report is the real one's, row by row, and it changes nothing.
 N8 Undone, who came by the import is gone and who was filled up has what they had, unless they did
    something since, or were mailed: those stay. It says how many before it is pressed, and after.
 N9 Who was subscribed where they come from is so at once; of whom the file does not say are pending, unless
    whoever brings it states that they agreed, which their consent then says.
 N10 That an import is over is announced to webhooks in the commit that ends it (W1), once; of its readers and
    posts nothing is.

Jobs: import_readers, undo_import (queue imports), prune_import_files (housekeeping). States in states.py.
"""

from app.imports.intake import file_to_import
from app.imports.left import EVERY as LEFT_EVERY
from app.imports.left import fail_left
from app.imports.queries import ImportView, import_problems, import_view
from app.imports.runs import NewImport, PruneImportFiles, start_import
from app.imports.whole import export_everything, is_export, restore_everything

__all__ = [
    "LEFT_EVERY",
    "ImportView",
    "NewImport",
    "PruneImportFiles",
    "export_everything",
    "fail_left",
    "file_to_import",
    "import_problems",
    "import_view",
    "is_export",
    "restore_everything",
    "start_import",
]
