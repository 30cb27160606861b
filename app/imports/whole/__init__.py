"""A publication whole, in a zip: everything an account holds but what only this house can use.

The one place that reads and writes the tables of every slice: it is about all of them, and nothing else is.

| in the zip | holds |
|---|---|
| publication.json | name, addresses, zone |
| newsletters, plans, segments .jsonl | one line each |
| readers.csv | for spreadsheets, and for Readers → Import |
| readers.jsonl | each with subscriptions, consent history, tags, access, and all columns kept from imports |
| suppressions, suppression_changes, erased .jsonl | blocked addresses; erased ones as a keyed hash |
| webhooks.jsonl | for owners alone: address, description, events, state; they come back paused |
| posts/0001-slug/ | post.md (the draft, with front matter), post.json; earlier versions: 1.md, 1.html |
| releases.jsonl, redirects.jsonl, media.jsonl, media/ | published versions, old addresses, pictures |

Not in it: the team, keys, secrets and sessions; emails, their copies and automatic mails; what webhooks were
told and how they answered: this house's books. A webhook's number and secret begin anew where it arrives.

There are no ids in it: things name each other by slug, address, number. Times are UTC to the microsecond.

Promise:
 X1 Exported, brought into an empty account, exported again: the same files, byte for byte, but for webhooks,
    which are paused.
"""

from app.imports.whole.collecting import export_everything
from app.imports.whole.restoring import is_export, restore_everything

__all__ = ["export_everything", "is_export", "restore_everything"]
