"""Fields of a mail: what is one, what never is, and that values stay values."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.base.fields import (
    CLOSE,
    FALLBACK,
    OPEN,
    Context,
    Unfilled,
    blank,
    fill,
    find,
    mark,
    marked,
    misspelt,
    one_line,
    scrub,
)

NOT_FIELDS = [
    "{{ name }}",
    "{{name}}",
    "{{{name}}}",
    "${name}",
    "#{name}",
    "%{name}%",
    "%recipient.name%",
    "\\{name}",
    "{Name}",
    "{ name }",
    "{ first name }",
    "{frist_name}",
    "{name, friend}",
    '{name, "a\nb"}',
    "{}",
    "{name",
    "{% name %}",
    "{unsubscribe_url}",
]


@pytest.mark.parametrize(
    ("text", "name", "fallback"),
    [
        ('{first_name, "there"}', "first_name", "there"),
        ('{name,"friend"}', "name", "friend"),
        ("{email}", "email", ""),
        ('{name, "Tom & <b>{email}</b>"}', "name", "Tom & <b>{email}</b>"),
    ],
)
def test_a_field_is_found_with_its_fallback(text: str, name: str, fallback: str) -> None:
    found = find(f"Hi {text}!")
    assert [(field.name, field.fallback) for field in found] == [(name, fallback)]
    assert fill(mark(text), {}, "text") == fallback


@pytest.mark.parametrize("text", NOT_FIELDS)
def test_everything_else_stays_exactly_as_written(text: str) -> None:
    assert find(text) == []
    assert fill(mark(text), {"name": "Anna", "email": "a@example.com"}, "text") == text


@pytest.mark.parametrize("nothing", [None, "", "  ", "\u200b", "\ufeff \u00ad"])
def test_a_reader_without_a_name_gets_the_fallback(nothing: str | None) -> None:
    """Field case F: a null and an empty name."""
    assert fill(mark('Hi {first_name, "there"}'), {"name": nothing}, "text") == "Hi there"


@pytest.mark.parametrize(
    ("context", "filled"),
    [
        ("text", 'Tom & "<b>" {email} Bcc: x'),
        ("html", "Tom &amp; &quot;&lt;b&gt;&quot; {email} Bcc: x"),
        ("url", "Tom%20%26%20%22%3Cb%3E%22%20%7Bemail%7D%20Bcc%3A%20x"),
        ("header", 'Tom & "<b>" {email} Bcc: x'),
    ],
)
def test_a_value_is_escaped_for_where_it_stands_and_never_a_field(context: Context, filled: str) -> None:
    values = {"name": 'Tom & "<b>" {email}\r\nBcc: x', "email": "a@example.com"}
    assert fill(mark("{name}"), values, context) == filled
    assert fill(mark("{name, \"Tom & '<b>'\"}"), {}, "html") == "Tom &amp; &#x27;&lt;b&gt;&#x27;"


def test_the_first_name_is_the_first_word_of_the_name() -> None:
    assert fill(mark("{first_name}"), {"name": "  Anna Maria Smith"}, "text") == "Anna"
    assert fill(mark("{first_name}"), {"name": "Anna", "first_name": "Zoë"}, "text") == "Zoë"


def test_a_blank_must_be_filled() -> None:
    template = f"Leave: {blank('unsubscribe_url')}"
    assert marked(template) == {"unsubscribe_url"}
    assert (
        fill(template, {"unsubscribe_url": "https://x/?a=1&b=2"}, "html") == "Leave: https://x/?a=1&amp;b=2"
    )
    with pytest.raises(Unfilled):
        fill(template, {}, "html")


def test_a_value_cannot_smuggle_a_mark_or_turn_the_line() -> None:
    evil = f"{OPEN}email{FALLBACK}{CLOSE}\u202egnp.exe"
    assert fill(mark("{name}"), {"name": evil, "email": "a@example.com"}, "text") == "emailgnp.exe"
    assert marked(mark(evil)) == frozenset()
    assert one_line("Anna\r\nBcc: x\x00") == "Anna Bcc: x"


def test_what_is_misspelt_is_pointed_out() -> None:
    text = 'Hi {frist_name}, {First_Name, “you”}, {fistname, "a"} {name} {{ name }} {recipe} {"json": 1}'
    assert misspelt(text) == [
        ("{frist_name}", "{first_name}"),
        ("{First_Name, “you”}", '{first_name, "you"}'),
        ('{fistname, "a"}', '{first_name, "a"}'),
    ]


def test_scrub_takes_out_what_no_text_may_hold() -> None:
    assert scrub("A\x10B\x00\ufffe\ud800\ufdd0\x07é🐦\t\n") == "ABé🐦\t\n"


@given(st.text())
def test_no_text_passes_for_a_mark_and_marking_changes_nothing_else(text: str) -> None:
    assert fill(scrub(text), {}, "text") == scrub(text)
    scrub(text).encode()  # no lone surrogates
    if not find(scrub(text)):
        assert mark(text) == scrub(text)


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    st.text(),
    st.sampled_from(["name", "first_name"]),
)
def test_any_fallback_and_value_survive_escaping_on_the_way(fallback: str, value: str, name: str) -> None:
    fallback = scrub(fallback).replace('"', "").replace("\n", "").replace("\r", "")[:200].strip()
    template = html.escape(mark("{" + name + ', "' + fallback + '"}'))
    assert html.unescape(fill(template, {}, "html")) == fallback
    filled = fill(template, {name: value}, "html")
    assert not marked(filled)
    assert "<" not in filled
