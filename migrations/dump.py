"""`python -m migrations.dump`: write migrations/schema.sql, what all migrations together amount to.

Read it instead of the migrations; never write it by hand. A test compares it with a fresh
database, so that a migration's change shows in one place in every review.
"""

import re
import subprocess
import tempfile
from pathlib import Path

from app.cli.postgres import postgres_bindir
from app.cli.services import Services
from migrations.run import migrate_database

SCHEMA = Path(__file__).parent / "schema.sql"
HEADER = (
    "-- What all migrations together make; written by `python -m migrations.dump`, compared by a test.\n\n"
)
#: The mailbox is outside production only; the months of attempt depend on the date.
_LEFT_OUT = ("--exclude-schema=mailbox", "--exclude-table=public.attempt_20*")
_NOISE = re.compile(r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*)\n", re.MULTILINE)


def dumped(owner_url: str) -> str:
    """The schema of a migrated database, the same text for the same schema."""
    told = subprocess.run(
        [postgres_bindir() / "pg_dump", "--schema-only", "--no-owner", *_LEFT_OUT, owner_url],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return HEADER + re.sub(r"\n{3,}", "\n\n", _NOISE.sub("", told)).strip() + "\n"


def main() -> None:
    """Make a database, migrate it, write what it is."""
    with tempfile.TemporaryDirectory(prefix="godwit-schema-") as folder:
        Path(folder).chmod(0o755)
        with Services(Path(folder), durable=False) as services:
            migrate_database(services.database_url, "testing")
            SCHEMA.write_text(dumped(services.database_url), "utf-8")


if __name__ == "__main__":
    main()
