"""A file of a hundred thousand members becomes rows (promise F5 of imports)."""

import time
import tracemalloc

from app.imports.formats import read
from app.imports.uploads import open_upload
from tests.imports.test_formats import GHOST


def ghost_file(rows: int) -> bytes:
    row = (
        '{0:024x},R{0}@b\u00fccher{1}.example,Zo\u00eb,"two\nlines",true,false,,2021-09-22T01:13:17Z,,"a,b",'
    )
    return "\n".join([GHOST, *(row.format(n, n % 50) for n in range(rows))]).encode()


def spent_reading(members: int) -> float:
    """Seconds of this process's processor."""
    data = ghost_file(members)
    begin = time.process_time()
    assert sum(1 for row in read(data).rows if not row.problem) == members
    return time.process_time() - begin


def test_ten_times_the_members_take_ten_times_as_long():
    """F5. The bound is loose: it tells linear from not (a hundred times), however slow the machine."""
    few = spent_reading(10_000)
    assert spent_reading(100_000) < 30 * few


def test_reading_takes_no_more_memory_for_a_longer_file():
    """F5."""
    data = b"email,name\n" + b'reader@example.com,"Zo\xc3\xab\nand friends"\n' * 50_000
    tracemalloc.start()
    assert sum(1 for _ in open_upload(data).rows()) == 50_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(data) / 4
