"""Which kinds of job there are: each slice's `jobs` module, by name.

Importing them registers their handlers; a worker claims only kinds it knows.
"""

from importlib import import_module

MODULES: tuple[str, ...] = (
    "app.jobs.jobs",
    "app.accounts.jobs",
    "app.messages.jobs",
    "app.webhooks.jobs",
    "app.ledger.jobs",
    "app.readers.jobs",
    "app.audiences.jobs",
    "app.broadcasts.jobs",
    "app.publishing.jobs",
    "app.imports.jobs",
    "app.ops.jobs",
)


def load() -> None:
    """Register every kind and its handler."""
    for module in MODULES:
        import_module(module)
