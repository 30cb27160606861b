"""`godwit fakes`: stand-ins for the outside world on this machine, that fail as they are told."""

import asyncio
import signal
import tempfile
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import click

from app.base.errors import Conflict
from app.fakes import FakeSmtp, Fault, KeptMail, fault_of, self_made

_SECURITY = ("plain", "starttls", "tls")


@click.command()
@click.option(
    "--smtp-port", type=click.IntRange(0, 65535), default=2525, show_default=True, help="0: a free one."
)
@click.option("--security", type=click.Choice(_SECURITY), default="plain", show_default=True)
@click.option("--user", metavar="USER:PASSWORD", help="Only who logs in like this may send.")
@click.option("--close-after", type=click.IntRange(1), metavar="N", help="Hang up after every N mails.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="ORDER",
    help='What goes wrong, such as "3x end drop kept", "RCPT say 550 5.1.1 Gone for a@b.example".',
)
def fakes(
    smtp_port: int, security: str, user: str | None, close_after: int | None, faults: tuple[str, ...]
) -> None:
    """Run a local SMTP server that keeps what it takes and says so; Ctrl-C ends it."""
    ordered = [fault_of(order) for order in faults]
    name, _, password = (user or "").partition(":")
    if user and not (name and password):
        raise click.BadParameter("give USER:PASSWORD", param_hint="--user")
    with tempfile.TemporaryDirectory(prefix="godwit-fakes-") as folder:
        certificate = self_made(Path(folder)) if security != "plain" else None
        server = FakeSmtp(
            port=smtp_port,
            security=cast(Any, security),
            tls=certificate.for_server() if certificate else None,
            users={name: password} if user else None,
            close_after=close_after,
            seen=_show,
        )
        if certificate:
            click.echo(f"SSL_CERT_FILE={certificate.certificate}")
        asyncio.run(_serve(server, ordered))


async def _serve(server: FakeSmtp, faults: list[Fault]) -> None:
    server.order(*faults)
    try:
        await server.start()
    except OSError as error:
        raise Conflict(f"Port {server.port} cannot be used ({error.strerror}); choose another.") from error
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    click.echo("GODWIT_MAIL_PROVIDER=smtp")
    click.echo(f"GODWIT_SMTP_URL={_with_log_in(server)}")
    click.echo("ready")
    await stopped.wait()
    await server.stop()
    click.echo(f"{len(server.kept)} mails were kept, over {server.connections} connections.")


def _with_log_in(server: FakeSmtp) -> str:
    scheme, _, place = server.url.partition("://")
    who = "".join(f"{quote(user, safe='')}:{quote(word, safe='')}@" for user, word in server.users.items())
    return f"{scheme}://{who}{place}"


def _show(mail: KeptMail) -> None:
    subject = message_from_bytes(mail.raw, policy=cast(Any, default))["subject"]
    told = "" if mail.answered else " (its sender was not told)"
    click.echo(f"kept {mail.recipient}: {' '.join(str(subject).split())}{told}")
