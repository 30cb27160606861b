"""Secrets are stored as keyed hashes; links that work for years are signed."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.base import tokens
from app.base.settings import settings

READER = UUID("01900000-0000-7000-8000-000000000001")
KEYS = ("Z29kd2l0LXRlc3RzLWtub3ctdGhpcy1rZXktYnktaGU", "bmV3ZXIta2V5LW5ld2VyLWtleS1uZXdlci1rZXktMTI")


@pytest.fixture(autouse=True, scope="module")
def told() -> Iterator[pytest.MonkeyPatch]:
    """Settings of these tests, without a server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", "postgresql://postgres:x@localhost/x")
        patch.setenv("REDIS_URL", "redis://localhost")
        patch.setenv("GODWIT_SECRET_KEYS", KEYS[0])
        settings.cache_clear()
        yield patch
    settings.cache_clear()


@given(parts=st.lists(st.uuids() | st.integers(-(2**63), 2**63 - 1), max_size=5))
def test_what_was_signed_is_read_back(parts: list[UUID | int]) -> None:
    token = tokens.sign("test", *parts)
    assert tokens.verify("test", token) == tuple(parts)
    assert tokens.verify("other", token) is None


@given(st.text())
def test_what_was_not_signed_here_is_none(token: str) -> None:
    assert tokens.verify("test", token) is None


@given(st.data())
def test_no_letter_can_be_changed(data: st.DataObject) -> None:
    token = tokens.sign("unsubscribe", 7, READER)
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from("ABCxyz019-_").filter(lambda letter: letter != token[place]))
    assert tokens.verify("unsubscribe", token[:place] + other + token[place + 1 :]) is None
    assert tokens.verify("unsubscribe", token[:place]) is None
    assert tokens.verify("unsubscribe", token + "=") is None


def test_links_live_through_a_change_of_keys(told: pytest.MonkeyPatch) -> None:
    """The newest signs, each is accepted; a key that is gone takes its links with it."""
    old = tokens.sign("unsubscribe", 7, READER)
    before = tokens.keyed_hash("code", "123456")
    told.setenv("GODWIT_SECRET_KEYS", f"{KEYS[1]},{KEYS[0]}")
    settings.cache_clear()
    assert tokens.verify("unsubscribe", old) == (7, READER)
    assert tokens.sign("unsubscribe", 7, READER) != old
    assert before in tokens.keyed_hashes("code", "123456")
    assert tokens.keyed_hash("code", "123456") != before
    told.setenv("GODWIT_SECRET_KEYS", KEYS[1])
    settings.cache_clear()
    assert tokens.verify("unsubscribe", old) is None
    told.setenv("GODWIT_SECRET_KEYS", KEYS[0])
    settings.cache_clear()


def test_a_hash_is_of_one_purpose() -> None:
    assert tokens.keyed_hash("code", "123456") == tokens.keyed_hash("code", "123456")
    assert tokens.keyed_hash("code", "123456") != tokens.keyed_hash("api_key", "123456")


def test_codes_are_six_digits() -> None:
    assert all(len(code) == 6 and code.isdigit() for code in (tokens.new_code() for _ in range(500)))
