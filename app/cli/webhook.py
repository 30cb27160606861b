"""`godwit webhook listen`: a receiver on this machine that verifies what comes, and says so."""

import asyncio
import json
import math
import signal
import time
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Any

import click

from app.base.errors import Conflict
from app.cli.amounts import Amount
from app.cli.asking import json_option
from app.fakes import Call, FakeReceiver, Reply, Script, key_of, why_unverified


def _a_secret(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    for one in given:
        try:
            key_of(one)
        except ValueError as error:
            raise click.BadParameter(str(error), context, parameter) from error
    return given


def _a_time(context: click.Context, parameter: click.Parameter, given: float) -> float:
    if math.isnan(given):
        raise click.BadParameter("give a number of seconds", context, parameter)
    return given


@click.group()
def webhook() -> None:
    """Work with webhooks on this machine."""


@webhook.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8700, show_default=True, help="0: a free one.")
@click.option(
    "--secret",
    "secrets",
    multiple=True,
    metavar="WHSEC",
    callback=_a_secret,
    help="Verify with this secret; may be given twice while one is rotated.",
)
@click.option(
    "--answer",
    "answers",
    type=click.IntRange(200, 599),
    multiple=True,
    default=(200,),
    help="What to answer, in order; the last one stays.",
)
@click.option(
    "--delay",
    type=Amount(0, 600),
    callback=_a_time,
    default=0,
    help="Seconds before each answer.",
)
@json_option
def listen(
    port: int, secrets: tuple[str, ...], answers: tuple[int, ...], delay: float, as_json: bool
) -> None:
    """Receive webhooks, verify them, and print each; Ctrl-C ends it.

    With a secret, what is not signed by it is answered 401, as every receiver should.
    """
    listener = Listener(secrets, Script(answers, delay), _print_line if as_json else _print_words)
    asyncio.run(_serve(FakeReceiver(listener, port=port), as_json))


class Listener:
    """Judges each call, tells of it, and says what to answer."""

    def __init__(
        self, secrets: tuple[str, ...], script: Script, tell: Callable[[dict[str, Any]], None]
    ) -> None:
        self._secrets, self._script, self._tell = secrets, script, tell
        self._seen: dict[str, bytes] = {}

    async def __call__(self, call: Call) -> Reply:
        """`meet` of a receiver."""
        if call.method != "POST":
            return Reply(405, (("Allow", "POST"),), b"Webhooks are POSTed here.\n")
        why = why_unverified(self._secrets, dict(call.headers), call.body, time.time())
        refused = bool(self._secrets and why)
        reply = Reply(401, body=f"{why}\n".encode()) if refused else await self._script(call)
        self._script.calls.clear()
        self._tell(
            {
                "id": call.header("webhook-id"),
                "sequence": call.header("godwit-sequence"),
                "attempt": call.header("godwit-attempt"),
                "redelivery": call.header("godwit-redelivery"),
                "verified": not why if self._secrets else None,
                "why": why if refused else "",
                "again": self._again(call),
                "answered": reply.status,
                "body": _read(call.body),
            }
        )
        return reply

    def _again(self, call: Call) -> str:
        """Whether this id came before: '', `same` octets, or `other` ones, which must not be."""
        name, digest = call.header("webhook-id"), sha256(call.body).digest()
        before = self._seen.get(name)
        self._seen.setdefault(name, digest)
        if before is None or not name:
            return ""
        return "same" if before == digest else "other"


async def _serve(server: FakeReceiver, as_json: bool) -> None:
    try:
        await server.start()
    except OSError as error:
        raise Conflict(f"Port {server.port} cannot be used ({error.strerror}); choose another.") from error
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    click.echo(f"Add {server.url}/ as a webhook of a Godwit that may call this machine:", err=as_json)
    click.echo("GODWIT_EGRESS_ALLOW=127.0.0.0/8", err=as_json)
    click.echo("ready", err=as_json)
    await stopped.wait()
    await server.stop()


def _read(body: bytes) -> Any:
    try:
        read = json.loads(body)
        json.dumps(read, indent=2)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "backslashreplace")
    return read


def _print_line(told: dict[str, Any]) -> None:
    click.echo(json.dumps(told))


def _print_words(told: dict[str, Any]) -> None:
    body = told["body"]
    kind = body.get("type", "?") if isinstance(body, dict) else "no event"
    number = f" #{told['sequence']}" if told["sequence"] else ""
    judged = {None: "not checked: give --secret", True: "verified", False: f"NOT VERIFIED, {told['why']}"}
    words = [judged[told["verified"]]]
    if told["again"]:
        words.append("came before" if told["again"] == "same" else "CAME BEFORE WITH ANOTHER BODY")
    if told["attempt"] not in ("", "1"):
        words.append(f"try {told['attempt']}")
    if told["redelivery"]:
        words.append(f"redelivery {told['redelivery']}")
    words.append(f"answered {told['answered']}")
    click.echo(
        _seen(f"{datetime.now():%H:%M:%S} {kind}{number} {told['id'] or 'without an id'}: {'; '.join(words)}")
    )
    shown = json.dumps(body, indent=2, ensure_ascii=False) if not isinstance(body, str) else body
    click.echo("\n".join(f"    {_seen(line)}" for line in shown.splitlines()))


def _seen(text: str) -> str:
    """What a stranger sent, as a terminal may show it: what would steer it is spelt out."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)
