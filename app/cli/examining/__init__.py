"""What `godwit doctor` looks at, one subject a file; each answers findings, and changes nothing.

A finding is `well`, `look` (works, but somebody should look at it) or `wrong` (mail, pages or their safety
suffer). Each that is not well says what to do. No finding holds a secret, an address of a reader or a row.
"""

from app.cli.examining.findings import Finding, Topic, all_well, look, well, wrong

__all__ = ["Finding", "Topic", "all_well", "look", "well", "wrong"]
