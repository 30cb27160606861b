"""An SMTP server beside the browser: it lets in whoever has its password, which can be changed."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from app.fakes import FakeSmtp, Fault, KeptMail, fault_of

USER, PASSWORD = "godwit", "terns"


class MailServer:
    """The server as its owner sees it. It runs in a thread of its own: the browser's driver has this one."""

    def __init__(self, fake: FakeSmtp) -> None:
        self._fake = fake

    @property
    def url(self) -> str:
        """Where it is, with the log-in that Godwit was given."""
        return self._fake.url.replace("://", f"://{USER}:{PASSWORD}@")

    @property
    def kept(self) -> list[KeptMail]:
        """What it took so far."""
        return list(self._fake.kept)

    @property
    def asked(self) -> int:
        """How often somebody tried to log in."""
        return self._fake.verbs.count("AUTH")

    def order(self, *orders: str) -> None:
        """Let this go wrong from now on, in the words of `godwit fakes --fault`, and nothing else."""
        self._fake.faults = [fault_of(order) for order in orders]

    def goes_down(self, after: int) -> None:
        """It takes so many mails more, then hangs up on everybody."""
        self._fake.faults = [Fault("MAIL", "drop", after=after, times=None)]

    def refuse(self) -> None:
        """From now on the password is another."""
        self._fake.users = {USER: "changed"}

    def let_in(self) -> None:
        """From now on the password is right again."""
        self._fake.users = {USER: PASSWORD}


@contextmanager
def a_mail_server() -> Iterator[MailServer]:
    """One that listens on loopback and refuses everybody, until told otherwise."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="mail server", daemon=True)
    thread.start()
    fake = FakeSmtp()
    server = MailServer(fake)
    server.refuse()
    asyncio.run_coroutine_threadsafe(fake.start(), loop).result(10)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(fake.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
