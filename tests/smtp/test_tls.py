"""SMTP over TLS: never without it when it was asked for, never with a server that cannot prove its name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.base.errors import Unavailable
from app.fakes import SelfMade, self_made
from app.mail import Accepted, Misconfigured
from tests.mail.makers import make_mail
from tests.smtp.makers import a_server, hand_over, sending_to

pytestmark = pytest.mark.anyio
USERS = {"ana": "right"}


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SelfMade]:
    try:
        yield self_made(tmp_path_factory.mktemp("tls"))
    except Unavailable as without:
        pytest.skip(str(without))


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_mail_goes_over_tls_to_a_server_that_proves_its_name(ours: SelfMade, security: str) -> None:
    async with a_server(security=security, tls=ours.for_server(), users=USERS) as fake:
        who = {"user": "ana", "password": "right"}
        async with sending_to(fake, host="localhost", tls=ours.for_client(), **who) as smtp:
            assert isinstance(await smtp.probe(), Accepted)
            for _ in range(2):
                assert isinstance(await hand_over(smtp, make_mail()), Accepted)
    assert len(fake.kept) == 2


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_certificate_nobody_vouches_for_is_refused_in_words(ours: SelfMade, security: str) -> None:
    async with (
        a_server(security=security, tls=ours.for_server(), users=USERS) as fake,
        sending_to(fake, host="localhost", user="ana", password="right") as smtp,  # noqa: S106
    ):
        said = await hand_over(smtp, make_mail())
        assert isinstance(said, Misconfigured), said
        assert "the certificate of the mail server localhost" in said.reason
        assert "self-signed" in said.reason
        assert isinstance(await smtp.probe(), Misconfigured)
    assert fake.kept == []


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_certificate_for_another_name_is_refused(
    security: str, tmp_path: Path, ours: SelfMade
) -> None:
    other = self_made(tmp_path, name="mail.example.org")
    async with (
        a_server(security=security, tls=other.for_server()) as fake,
        sending_to(fake, host="localhost", tls=other.for_client()) as smtp,
    ):
        said = await hand_over(smtp, make_mail())
    assert isinstance(said, Misconfigured)
    assert "certificate" in said.reason
    assert fake.kept == []


async def test_without_starttls_on_offer_nothing_is_sent_in_the_clear(ours: SelfMade) -> None:
    """No downgrade: somebody on the way may have taken the offer out."""
    async with a_server(users=USERS) as fake:
        told = {"security": "starttls", "tls": ours.for_client(), "user": "ana", "password": "right"}
        async with sending_to(fake, **told) as smtp:
            said = await hand_over(smtp, make_mail())
            assert isinstance(said, Misconfigured)
            assert "no STARTTLS" in said.reason
            assert isinstance(await smtp.probe(), Misconfigured)
    assert set(fake.verbs) <= {"EHLO", "QUIT"}
    assert fake.kept == []


async def test_tls_to_a_port_that_speaks_plainly_is_told(ours: SelfMade) -> None:
    async with a_server() as fake, sending_to(fake, security="tls", tls=ours.for_client()) as smtp:
        said = await hand_over(smtp, make_mail())
    assert isinstance(said, Misconfigured)
    assert "does not speak TLS" in said.reason
