"""The foot of what readers get by themselves: why, where to choose, whose it is."""

import pytest

from app.messages import render_message
from app.messages.catalogue import CATALOGUE

ADDRESS = "Strandvägen 1, 621 55 Visby, Sweden"
OWN_PAGE = "https://tidelines.example/me"


@pytest.mark.parametrize("name", ["reader_code", "subscribed_already", "welcome"])
def test_a_reader_is_led_to_what_they_get(name: str) -> None:
    """Product: every mail's footer; a code has nothing to unsubscribe from but what stands on that page."""
    mail = render_message(name, **(CATALOGUE[name].specimen or {}))
    for body in (mail.text, mail.html):
        assert body
        foot = body.rpartition("You get this" if name != "reader_code" else "You did not ask")[2]
        assert OWN_PAGE in foot
        assert "What you get" in foot
        assert ADDRESS in foot
        if name != "reader_code":
            assert "nsubscribe" in foot


def test_who_is_no_reader_yet_is_told_why_and_led_nowhere_but_to_confirm() -> None:
    """There is nothing to leave before one has come: who does nothing is forgotten."""
    mail = render_message("confirm_subscription", **(CATALOGUE["confirm_subscription"].specimen or {}))
    for body in (mail.text, mail.html):
        assert body
        assert "You get this because the address was given on" in body
        assert "forgotten" in body
        assert ADDRESS in body
        assert OWN_PAGE not in body
