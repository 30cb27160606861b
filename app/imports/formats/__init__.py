"""Files of readers from other products, each format one module.

Owns: what the columns of an export mean, and which export a file is. A format turns one RawRow
into one ImportedRow and knows nothing of databases; what Godwit does with the row is for imports.

Words: an *upload* is the file as a table, a *format* is what its columns mean, a *reading* is the
file as neutral rows.

Promises:
 F1 Every row of a file comes out once, in its order: none dropped, none twice.
 F2 Nobody who was unsubscribed or blocked by any row of the file comes out active; what a file does not
    say is never guessed in favour of mailing.
 F3 Every column is read or kept in `extra`.
 F4 One address is one reader: a second row of it, anywhere in the file, names the first.
 F5 A file is read in time linear in its size, and in the memory of one row and the addresses seen.

A new format is a module with the six names of `registry.Format`, and its place in FORMATS. `table` is
any CSV, by a mapping.
"""

from app.imports.formats.aliases import FIELDS, guessed
from app.imports.formats.reading import Reading, count_rows, read
from app.imports.formats.registry import CSV, FORMATS, Format, detect, titles

__all__ = [
    "CSV",
    "FIELDS",
    "FORMATS",
    "Format",
    "Reading",
    "count_rows",
    "detect",
    "guessed",
    "read",
    "titles",
]
