"""A sealed text opens for its row, under each key there is, and tells which key that was."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.base import seal
from app.base.seal import Unsealable
from app.base.settings import settings

OLD = "Z29kd2l0LXRlc3RzLWtub3ctdGhpcy1rZXktYnktaGU"
NEW = "bmV3ZXIta2V5LW5ld2VyLWtleS1uZXdlci1rZXktMTI"
ROW = "1/endpoint/secret"


@pytest.fixture(autouse=True)
def told() -> Iterator[pytest.MonkeyPatch]:
    """Settings of these tests, without a server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", "postgresql://postgres:x@localhost/x")
        patch.setenv("REDIS_URL", "redis://localhost")
        with_keys(patch, OLD)
        yield patch
    settings.cache_clear()


def with_keys(patch: pytest.MonkeyPatch, *keys: str) -> None:
    patch.setenv("GODWIT_SECRET_KEYS", ",".join(keys))
    settings.cache_clear()


def test_what_was_sealed_opens_and_shows_nothing_of_itself() -> None:
    @given(plain=st.binary(max_size=300))
    def holds(plain: bytes) -> None:
        sealed = seal.seal("webhook", plain, bound_to=ROW)
        assert seal.unseal("webhook", sealed, bound_to=ROW) == plain
        assert len(plain) < 4 or plain not in sealed

    holds()


def test_twice_the_same_is_never_sealed_alike() -> None:
    assert len({seal.seal("webhook", b"same", bound_to=ROW) for _ in range(100)}) == 100


@pytest.mark.parametrize(("purpose", "bound_to"), [("stripe", ROW), ("webhook", "2/endpoint/secret")])
def test_a_sealed_text_opens_for_its_own_row_and_purpose_only(purpose: str, bound_to: str) -> None:
    sealed = seal.seal("webhook", b"whsec", bound_to=ROW)
    with pytest.raises(Unsealable, match="something else"):
        seal.unseal(purpose, sealed, bound_to=bound_to)


def test_each_changed_byte_is_noticed() -> None:
    sealed = seal.seal("webhook", b"whsec", bound_to=ROW)
    for at in range(len(sealed)):
        changed = sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]
        with pytest.raises(Unsealable):
            seal.unseal("webhook", changed, bound_to=ROW)


def test_what_is_cut_short_or_strange_is_not_opened() -> None:
    sealed = seal.seal("webhook", b"", bound_to=ROW)
    for strange in (b"", b"\x01", sealed[:-1], b"\x02" + sealed[1:], b"whsec_plain"):
        with pytest.raises(Unsealable):
            seal.unseal("webhook", strange, bound_to=ROW)


def test_a_new_key_first_seals_and_the_old_one_still_opens(told: pytest.MonkeyPatch) -> None:
    under_old = seal.seal("webhook", b"whsec", bound_to=ROW)
    with_keys(told, NEW, OLD)
    assert seal.unseal("webhook", under_old, bound_to=ROW) == b"whsec"
    assert seal.key_id_of(under_old) == seal.known_key_ids()[1] != seal.current_key_id()
    again = seal.seal("webhook", b"whsec", bound_to=ROW)
    assert seal.key_id_of(again) == seal.current_key_id()


def test_a_key_that_is_gone_is_named_as_the_reason(told: pytest.MonkeyPatch) -> None:
    sealed = seal.seal("webhook", b"whsec", bound_to=ROW)
    with_keys(told, NEW)
    with pytest.raises(Unsealable, match="GODWIT_SECRET_KEYS"):
        seal.unseal("webhook", sealed, bound_to=ROW)


def test_the_form_stays_what_old_databases_hold() -> None:
    """Sealed by the first version that seals; it opens for ever."""
    kept = bytes.fromhex(KEPT)
    assert seal.unseal("webhook", kept, bound_to=ROW) == b"kept since the first"
    assert kept[seal.KEY_ID].hex() == seal.key_id_of(kept) == seal.current_key_id()


KEPT = (
    "01d30e588a81dc408d1b0cf4f9f76513482a9165317899f0ef9ffdbb4aaefd08dbd43b0e1a928294"
    "4b9b4d1a344f24d85197056dd09a927e5a"
)
