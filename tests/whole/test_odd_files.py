"""Files of posts with anything in any place: each is read, or refused in a sentence (imports N3, B2)."""

import contextlib
import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.imports.posts import open_posts
from app.imports.posts.converting import converted, opened
from app.imports.uploads import UploadError
from tests.imports.foreign_files import ghost, ghost_post, picture, substack, zipped

FULL = json.loads(
    ghost(
        ghost_post(1, feature_image="https://x.example/c.jpg"),
        ghost_post(2, html=None, lexical=json.dumps({"root": {"children": [{"type": "text", "text": "x"}]}})),
        posts_meta=[{"post_id": "p1", "meta_title": "m"}],
        tags=[{"id": "t1", "name": "Sea"}, {"id": "t2", "name": "Birds"}],
        posts_tags=[
            {"post_id": "p1", "tag_id": "t1", "sort_order": 1},
            {"post_id": "p1", "tag_id": "t2", "sort_order": 0},
        ],
        users=[{"name": "Ana"}, {"name": "Ben"}],
    )
)
ODD: list[Any] = [
    None,
    True,
    -1,
    1e308,
    10**40,
    "",
    "\0",
    "²",
    "x" * 100_000,
    [],
    [1, "a", {}],
    {},
    {"a": [{}]},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def with_odd(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    told = copy.deepcopy(value)
    there = told
    for key in path[:-1]:
        there = there[key]
    there[path[-1]] = odd
    return told


def read_whole(data: bytes) -> int:
    """Every post of a file, each read and converted; answers how many. Only UploadError refuses a file."""
    file = open_posts(data)
    for post in file.posts:
        converted(opened(post), {})
    return len(file.posts)


def test_any_value_of_a_ghost_export_may_be_anything() -> None:
    """Each place in the file in turn holds each odd value: it is read, or refused in a sentence."""
    read = 0
    for path in places(FULL):
        for odd in ODD:
            data = json.dumps(with_odd(FULL, path, odd)).encode()
            with contextlib.suppress(UploadError):
                read += read_whole(data)
    assert read > 1000


LEXICAL = {
    "root": {
        "children": [
            {"type": "paragraph", "children": [{"type": "text", "text": "x", "format": 1}]},
            {"type": "gallery", "images": [{"src": "a", "alt": "b"}]},
            {"type": "bookmark", "url": "u", "metadata": {"title": "t"}},
            {"type": "heading", "tag": "h2", "children": []},
            {"type": "callout", "calloutText": "c"},
        ]
    }
}
MOBILEDOC = {
    "markups": [["a", ["href", "x"]]],
    "atoms": [["soft-return", "", {}]],
    "cards": [
        ["gallery", {"images": [{"src": "a"}]}],
        ["bookmark", {"url": "u", "metadata": {"title": "t"}}],
    ],
    "sections": [
        [1, "p", [[0, [0], 1, "x"], [1, [], 0, 0]]],
        [3, "ul", [[[0, [], 0, "i"]]]],
        [10, 0],
        [10, 1],
    ],
}


@pytest.mark.parametrize(("column", "whole"), [("lexical", LEXICAL), ("mobiledoc", MOBILEDOC)])
def test_any_value_of_a_text_of_ghosts_own_may_be_anything(column: str, whole: Any) -> None:
    for path in places(whole):
        for odd in ODD:
            told = json.dumps(with_odd(whole, path, odd))
            assert read_whole(ghost(ghost_post(1, html=None, **{column: told}))) == 1


def spoilt(data: bytes, chance: random.Random) -> bytes:
    told = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        told[chance.randrange(len(told))] = chance.randrange(256)
    return bytes(told)


@pytest.mark.parametrize(
    "whole",
    [
        lambda: zipped({"ghost.json": ghost(ghost_post(1)), "content/images/a.png": picture()}),
        lambda: substack(["1.one,2022-01-01,true,,newsletter,everyone,One,,"], {"1.one": "<p>x</p>"}),
        lambda: ghost(ghost_post(1)),
    ],
    ids=["zip", "substack", "json"],
)
def test_a_spoilt_file_is_refused_in_words(whole: Callable[[], bytes]) -> None:
    data, chance = whole(), random.Random(7)
    for _ in range(400):
        with contextlib.suppress(UploadError):
            read_whole(spoilt(data, chance))
