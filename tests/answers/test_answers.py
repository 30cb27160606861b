"""Cursors, times, flashes, and templates that name what is not there (answers, promises 3 and 4)."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from litestar.connection import ASGIConnection

from app.answers import Cursor, Flash, asset, fragment, rendered, static_file, take_flash
from app.answers.flashes import COOKIE, flash_cookie
from app.answers.formats import ago, day, duration, moment, number, plural, sender, size, zone
from app.base import clock
from app.base.errors import Invalid

AT = datetime(2026, 5, 3, 8, 14, 30, tzinfo=UTC)


@given(st.datetimes(timezones=st.just(UTC)), st.uuids(), st.integers(-(2**53), 2**53), st.text(max_size=40))
def test_a_cursor_comes_back_as_it_went(at: datetime, one: UUID, n: int, word: str) -> None:
    word = word.encode("utf-8", "ignore").decode()
    assert Cursor.decode(Cursor.encode(at, one, n, word), datetime, UUID, int, str) == (at, one, n, word)


@given(st.text(max_size=60))
def test_what_is_no_cursor_of_ours_is_said(text: str) -> None:
    """Promise 4."""
    with pytest.raises(Invalid):
        Cursor.decode(text, datetime, UUID)


def test_a_cursor_of_another_list_is_not_taken() -> None:
    with pytest.raises(Invalid):
        Cursor.decode(Cursor.encode(5, "x"), datetime, UUID)


def test_times_are_written_in_the_pages_zone_and_read_by_programs() -> None:
    token = zone.set("Europe/Paris")
    assert ">3 May 2026 at 10:14</time>" in moment(AT)
    assert 'datetime="2026-05-03T08:14:30Z"' in moment(AT)
    zone.reset(token)
    assert ">3 May 2026</time>" in day(AT)


def test_words_for_amounts() -> None:
    assert number(1846) == "1,846"
    assert plural(1, "reader") == "1 reader"
    assert plural(1846, "reader") == "1,846 readers"
    assert [duration(1), duration(90), duration(7200)] == ["1 second", "2 minutes", "2 hours"]
    assert [size(12), size(4096), size(3 * 1024**2)] == ["12 bytes", "4 kB", "3.0 MB"]
    now = clock.now()
    assert "2 minutes ago" in ago(now - timedelta(seconds=121))
    assert "in 3 hours" in ago(now + timedelta(hours=3, seconds=5))
    assert "just now" in ago(now)
    assert "59 days ago" in ago(now - timedelta(days=59, seconds=5))
    assert "1 January 1970" in ago(datetime(1970, 1, 1, tzinfo=UTC))


def test_a_sender_is_shown_as_it_is_called() -> None:
    assert sender("=?utf-8?b?R3LDvG4gJiBDbw==?= <a@example.org>") == "Grün & Co <a@example.org>"
    assert sender('"Tide, Lines" <a@example.org>') == '"Tide, Lines" <a@example.org>'
    assert sender("=?nonsense?b?!!!?= <a@example.org>") == "=?nonsense?b?!!!?= <a@example.org>"


def test_a_flash_is_taken_as_it_was_sent_and_no_other(settings_env: object) -> None:
    value = flash_cookie(Flash("ok", "Saved, “Zoë”; twice.")).value
    assert value is not None
    assert take_flash(_request(value)) == Flash("ok", "Saved, “Zoë”; twice.")
    for forged in (value[:-2] + "xx", "b2sKSGk." + value.partition(".")[2], "x", "....", "é", ""):
        assert take_flash(_request(forged)) is None


def test_a_name_that_a_template_is_not_given_is_an_error(settings_env: object) -> None:
    with pytest.raises(UndefinedError):
        rendered("accounts/sign_in.html")


def test_a_fragment_says_that_it_is_one(settings_env: object) -> None:
    """Promise 5."""
    shown = type("Page", (), {"title": "No", "detail": "<b>", "back_url": "", "back_label": ""})()
    assert fragment("errors/_error.html", page=shown).headers["Vary"] == "HX-Request"
    assert "&lt;b&gt;" in rendered("errors/_error.html", page=shown)


def test_static_files_have_fingerprints_and_no_way_out(settings_env: object) -> None:
    assert asset("css/base.css").startswith("/static/")
    for path in (
        "../pyproject.toml",
        "css/../../README.md",
        "/etc/passwd",
        "css",
        "",
        "a\0b",
        "css\\base.css",
        ".x",
    ):
        assert static_file(path) is None
    with pytest.raises(FileNotFoundError):
        asset("css/none.css")


def _request(cookie: str) -> ASGIConnection:
    header = f"{COOKIE}={cookie}".encode("latin-1", "replace")
    return ASGIConnection({"type": "http", "headers": [(b"cookie", header)]})  # type: ignore[arg-type]
