"""Files of readers from other products, each format one module.

Owns: what the columns of an export mean, and which export a file is. A format turns one RawRow
into one ImportedRow and knows nothing of databases; what Godwit does with the row is for imports.

Words: an *upload* is the file as a table, a *format* is what its columns mean, a *reading* is the
file as neutral rows.

Promises:
 F1 Every row of a file comes out once, in its order: none dropped, none twice.
 F2 Nobody who was unsubscribed where they come from comes out active; what a file does not say is
    never guessed in favour of mailing.
 F3 Every column is read or kept in `extra`.
 F4 One address is one reader: a second row of it names the first.
 F5 A file is read in one pass, in time linear in its size, and in the memory of one row and the
    addresses seen.

A new format is a module with the five names of `registry.Format`, and its line in FORMATS.
"""

from app.imports.formats.reading import Reading, read
from app.imports.formats.registry import FORMATS, Format, detect

__all__ = ["FORMATS", "Format", "Reading", "detect", "read"]
