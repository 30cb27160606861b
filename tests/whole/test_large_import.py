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


def test_a_hundred_thousand_members_are_read_within_seconds():
    """F5. The bound is loose: it tells linear from not, on a busy machine."""
    data = ghost_file(100_000)
    begin = time.perf_counter()
    assert sum(1 for row in read(data).rows if not row.problem) == 100_000
    assert time.perf_counter() - begin < 30


def test_reading_takes_no_more_memory_for_a_longer_file():
    """F5."""
    data = b"email,name\n" + b'reader@example.com,"Zo\xc3\xab\nand friends"\n' * 50_000
    tracemalloc.start()
    assert sum(1 for _ in open_upload(data).rows()) == 50_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(data) / 4
