"""One canonical form of an address: what is one person, what is refused, and in which words."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.base.addresses import AddressError, canonical, display

LOCALS = st.one_of(
    st.from_regex(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,20}(\.[A-Za-z0-9'+_-]{1,10})?", fullmatch=True),
    st.from_regex(r'"[ -!#-\[\]-~]{1,20}"', fullmatch=True),
)
LABELS = st.one_of(
    st.from_regex(r"[A-Za-z0-9]{1,10}(-[A-Za-z0-9]{1,5})?", fullmatch=True),
    st.sampled_from(
        ["bücher", "BÜCHER", "xn--bcher-kva", "straße", "пример", "例え", "münchen", "ｅｘａｍｐｌｅ"]
    ),
    st.text(min_size=1, max_size=8),
)
DOMAINS = st.lists(LABELS, min_size=1, max_size=4).map(".".join)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Anna@Example.COM", "anna@example.com"),
        ("  anna@example.com\r\n", "anna@example.com"),
        ("\ufeffanna@example.com\u200b\u00a0", "anna@example.com"),
        ("anna+News@example.com", "anna+news@example.com"),
        ("o'Brien@example.com", "o'brien@example.com"),
        ("anna@bücher.example", "anna@xn--bcher-kva.example"),
        ("anna@BÜCHER.Example", "anna@xn--bcher-kva.example"),
        ("anna@XN--BCHER-KVA.example", "anna@xn--bcher-kva.example"),
        ("test@umläute-tester.de", "test@xn--umlute-tester-dfb.de"),
        ("anna@straße.example", "anna@xn--strae-oqa.example"),
        ("anna@ΝΗΣΟΣ.example", "anna@xn--sxalhpb.example"),
        ("anna@ｅｘａｍｐｌｅ。com", "anna@example.com"),
        ('"Anna"@example.com', "anna@example.com"),
        ('"Anna Smith"@example.com', '"anna smith"@example.com'),
        ('"a@b"@example.com', '"a@b"@example.com'),
        ("godwit@localhost", "godwit@localhost"),
        ("anna@birds.localhost", "anna@birds.localhost"),
        ("anna@mail.test", "anna@mail.test"),
    ],
)
def test_every_spelling_of_an_address_is_kept_as_one(written: str, kept: str):
    assert canonical(written) == kept
    assert canonical(kept) == kept


@pytest.mark.parametrize(
    ("written", "because"),
    [
        ("", "is empty"),
        (" \u200b\n", "is empty"),
        ("not-an-address", "has no @"),
        ("@example.com", "before the @"),
        ("anna@", "after the @"),
        ("anna@x.com, bob@x.com", "more than one @"),
        ("anna@@example.com", "more than one @"),
        ("anna smith@example.com", "space inside"),
        ("anna@exam ple.com", "space inside"),
        ("Anna <anna@example.com>", "without name"),
        ("an\0na@example.com", "control character"),
        ("anna@example.com\nBcc:x", "control character"),
        ("anna@example\udcff.com", "control character"),
        ("jürgen@example.com", "“ü” stands before the @"),
        (".anna@example.com", "before the @"),
        ("an..na@example.com", "before the @"),
        ("a" * 65 + "@example.com", "65 characters stand before the @"),
        ("a@" + "b." * 130 + "com", "the most is 254"),
        (
            "a" * 60 + "@" + "ü" * 50 + "." + "ü" * 50 + "." + "ü" * 50 + "." + "ü" * 30 + ".de",
            "the most is 254",
        ),
        ("x" * 1_000_000 + "@example.com", "the most is 254"),
        ("anna@gmail", "Did you mean gmail.com?"),
        ("anna@example.com.", "not the name of a mail domain"),
        ("anna@.example.com", "not the name of a mail domain"),
        ("anna@-example.com", "not the name of a mail domain"),
        ("anna@a_b.com", "not the name of a mail domain"),
        ("anna@xn--a.com", "not the name of a mail domain"),
        ("anna@192.0.2.1", "not the name of a mail domain"),
        ("anna@[192.0.2.1]", "domain name"),
    ],
)
def test_what_is_not_an_address_is_refused_in_a_sentence(written: str, because: str):
    with pytest.raises(AddressError) as refusal:
        canonical(written)
    assert because in refusal.value.detail
    assert refusal.value.detail.endswith((".", "?"))
    assert refusal.value.status == 422


def test_people_see_the_letters_of_a_domain():
    assert display("anna@xn--bcher-kva.example") == "anna@bücher.example"
    assert display("anna@example.com") == "anna@example.com"
    assert display("anna@xn--a.com") == "anna@xn--a.com"
    assert display("nobody") == "nobody"


@given(LOCALS, DOMAINS)
@example("A", "xn--bcher-kva.bücher")
@example('"a\\"b"', "Example.com")
def test_canonical_is_final_and_survives_being_shown(local: str, domain: str):
    try:
        kept = canonical(f"{local}@{domain}")
    except AddressError:
        return
    assert canonical(kept) == kept
    assert canonical(display(kept)) == kept
    assert canonical(kept.upper()) == kept


@given(st.text(max_size=300))
def test_no_text_at_all_raises_anything_but_an_address_error(text: str):
    try:
        kept = canonical(text)
    except AddressError:
        return
    assert canonical(kept) == kept
