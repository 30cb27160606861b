"""`godwit doctor`: look at everything Godwit stands on, and say of each thing that is not well what to do."""

import asyncio
import os
import stat
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path

import click
import redis.asyncio
from redis.exceptions import RedisError

from app.base.database import Database, in_words
from app.base.errors import GodwitError
from app.base.settings import Settings, SettingsError, settings
from app.cli.asking import json_option, print_json
from app.cli.environment import UNHEARD, data_option, given
from app.cli.examining import Finding, all_well, look, well, wrong
from app.cli.examining.database import examine_clock, examine_log_ins, examine_rows
from app.cli.examining.keys import examine_keys, seal_again
from app.cli.examining.mailing import examine_provider, examine_switches, sending_domains
from app.cli.examining.names import examine_names
from app.cli.examining.rights import examine_rights
from app.cli.installation import installation
from app.ops import find_trouble

#: Seconds for an answer of Redis.
_PATIENCE = 3.0
_MARKS = {"well": "well ", "look": "look ", "wrong": "WRONG"}


@click.command()
@click.option(
    "--domain", "domains", multiple=True, metavar="D", help="Look at this sending domain too; several."
)
@click.option(
    "--selector",
    "selectors",
    multiple=True,
    metavar="NAME",
    help="The name of a DKIM key, from who signs your mail.",
)
@click.option("--reseal", is_flag=True, help="First seal under the newest key what lies under an old one.")
@json_option
@data_option
def doctor(
    domains: tuple[str, ...], selectors: tuple[str, ...], reseal: bool, as_json: bool, data: Path | None
) -> int:
    """Look at settings, database, rights, Redis, clock, mail and DNS; each finding with its fix."""
    try:
        with _installation(data) as told:
            found = asyncio.run(_examine(told, domains, selectors, reseal=reseal))
    except SettingsError as error:
        found = [wrong("settings", one, "See the table in README.") for one in error.problems]
    if as_json:
        print_json({"well": all_well(found), "findings": [asdict(one) for one in found]})
    else:
        _print(found)
    return 0 if all_well(found) else 1


def _installation(data: Path | None) -> AbstractContextManager[Settings]:
    """In production a machine may know the processes' log-ins and not the owner's."""
    return nullcontext(settings()) if given("GODWIT_WEB_DATABASE_URL") else installation(data)


async def _examine(
    told: Settings, domains: Sequence[str], selectors: Sequence[str], *, reseal: bool
) -> list[Finding]:
    log_ins = await examine_log_ins(told)
    gets_in, found = all_well(log_ins), _settings(told) + log_ins
    if gets_in:  # else each of these would say the same once more
        for examine in (examine_rights, examine_rows, lambda: examine_clock(told), lambda: _work(told)):
            found += await _guarded(examine)
        if reseal:
            found.append(await seal_again())
        found += await _guarded(examine_keys)
    found += await _redis(told)
    if gets_in:
        found += await _guarded(lambda: examine_provider(told))
        found += await _guarded(examine_switches)
        domains = (*await sending_domains(told), *domains)
    for domain in dict.fromkeys(one.strip().rstrip(".").lower() for one in domains):
        found += await examine_names(domain, selectors)
    return found if domains else [*found, _unsent(told)]


async def _guarded(examine: Callable[[], Awaitable[list[Finding]]]) -> list[Finding]:
    """A look that itself fails is a finding; the others go on."""
    try:
        return await examine()
    except GodwitError as error:
        return [wrong("database", error.detail, "Look whether the database runs, then again.")]


def _settings(told: Settings) -> list[Finding]:
    found = [well("settings", f"All are understood. Mode: {told.mode}. Studio: {told.base_url}")]
    if told.mode == "production" and not told.is_https:
        said = "The studio is at http: codes and sessions cross the network in the clear."
        found.append(
            wrong("settings", said, "Put TLS in front of it, and give its https address in GODWIT_BASE_URL.")
        )
    kept = told.data / "secret_key"
    if kept.exists() and stat.S_IMODE(kept.stat().st_mode) & 0o077:
        found.append(wrong("keys", f"Others on this machine may read {kept}.", f"Run: chmod 600 {kept}"))
    if told.media.exists() and not os.access(told.media, os.W_OK):
        said = f"Pictures cannot be written to {told.media}."
        found.append(wrong("settings", said, "Give that folder to whoever runs Godwit (GODWIT_MEDIA_URL)."))
    return found


async def _work(told: Settings) -> list[Finding]:
    """Whoever tries Godwit out need not have it running while the doctor looks."""
    async with Database.for_role("web", pooled=False).transaction() as tx:
        found = await find_trouble(tx)
    if not found:
        return [well("work", "Workers were seen for every queue, and no due work has been waiting.")]
    running = told.mode == "production" or any(one.topic != "workers" for one in found)
    said = wrong if running else look
    return [said("work", one.said, one.fix) for one in found]


async def _redis(told: Settings) -> list[Finding]:
    if told.redis_url == UNHEARD:
        fix = "Give REDIS_URL to have it looked at."
        return [look("redis", "REDIS_URL is not given here, so nobody looked.", fix)]
    client = redis.asyncio.from_url(
        told.redis_url, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE
    )
    try:
        await client.ping()
    except (RedisError, OSError, TimeoutError) as error:
        said = f"Redis does not answer: {in_words(error)}. Nothing is lost, but work begins a second later."
        return [wrong("redis", said, "Look whether it runs, and at REDIS_URL.")]
    finally:
        await client.aclose()
    return [well("redis", "Redis answers. Work begins at once.")]


def _unsent(told: Settings) -> Finding:
    if told.mail.provider == "mailbox":
        return well("dns", "Mail stays here (mailbox), so no domain is looked at; --domain looks at one.")
    said = f"Mail comes from {told.mail.sender}, a name that only this machine knows."
    return wrong("dns", said, "Give an address of your own domain in GODWIT_MAIL_FROM.")


def _print(found: Sequence[Finding]) -> None:
    for one in found:
        click.echo(f"{_MARKS[one.level]}  {one.topic}: {one.said}")
        if one.fix:
            click.echo(f"       {one.fix}")
    ill, looks = (sum(one.level == level for one in found) for level in ("wrong", "look"))
    click.echo("")
    if ill:
        click.echo(f"{ill} of {len(found)} wrong, {looks} to look at.")
    else:
        click.echo("All well." if not looks else f"Nothing is wrong, {looks} to look at.")
