"""A bench with servers of its own, for the commands; or on a server that SIMULATION_URL names."""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from tests.harness import Servers, at_database, copy_template
from tests.simulation.run import Bench


@contextmanager
def bench() -> Iterator[Bench]:
    """Started, in a database of its own."""
    given, servers = os.environ.get("SIMULATION_URL"), None
    if not given:
        servers = Servers()
    try:
        url = given or (servers.start()[0] if servers else "")
        name = f"simulation_{os.getpid()}"
        asyncio.run(copy_template(url, name))
        with (
            tempfile.TemporaryDirectory() as folder,
            Bench(at_database(url, name)).started(folder) as made,
        ):
            yield made
    finally:
        if servers:
            servers.stop()
