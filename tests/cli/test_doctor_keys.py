"""`godwit doctor` and the keys: what lies under which, sealed again under the newest."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from app.base.database import Database
from app.base.settings import Settings, settings
from app.cli import program
from app.webhooks import NewEndpoint, add_endpoint, live_secrets

Command = Callable[..., tuple[int, str]]
OLD = "Z29kd2l0LXRlc3RzLWtub3ctdGhpcy1rZXktYnktaGU"
NEW = "bmV3ZXIta2V5LW5ld2VyLWtleS1uZXdlci1rZXktMTI"


@pytest.fixture
def godwit(settings_env: Settings, capsys: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Run a command; answers its status and what it said."""

    def run(*arguments: str) -> tuple[int, str]:
        status = program.run(list(arguments))
        written = capsys.readouterr()
        return status, written.out + written.err

    return run


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give the installation these keys, the newest first."""

    def give(*given: str) -> None:
        monkeypatch.setenv("GODWIT_SECRET_KEYS", ",".join(given))
        settings.cache_clear()

    return give


def secrets_of(settings_env: Settings, *, add: int = 0) -> list[str]:
    """The live secrets of one endpoint in each account, after `add` accounts were made with one each."""

    async def run() -> list[str]:
        owner = Database(settings_env.database.owner_url, "godwit_owner", 2)
        web = Database.for_role("web", pooled=False)
        for n in range(add):
            async with owner.transaction() as tx:
                await tx.execute(
                    "insert into account (id, slug, name) values (:n, 'a' || cast(:n as bigint), 'A')",
                    n=n + 7,
                )
            async with web.transaction(n + 7) as tx:
                await add_endpoint(tx, NewEndpoint("https://hooks.example.com/x", ("*",)))
        async with owner.transaction() as tx:
            rows = await tx.rows("select account_id, id from endpoint order by account_id")
        await owner.close()
        found: list[str] = []
        for row in rows:
            async with web.transaction(row.account_id) as tx:
                found += await live_secrets(tx, row.id)
        return found

    return asyncio.run(run())


def test_a_house_with_one_key_has_nothing_to_do(godwit: Command, settings_env: Settings) -> None:
    assert "well   keys: Sealed: Nothing yet." in godwit("doctor")[1]
    secrets_of(settings_env, add=2)
    assert "well   keys: Sealed: 2 secrets of webhooks, all under the newest key." in godwit("doctor")[1]


def test_what_lies_under_an_old_key_is_counted_and_sealed_again(
    godwit: Command, settings_env: Settings, keys: Callable[..., None]
) -> None:
    """In every account; receivers notice nothing, and the old key opens nothing sealed any more."""
    before = secrets_of(settings_env, add=2)
    keys(NEW, OLD)
    status, said = godwit("doctor")
    assert status == 0
    assert "look   keys: 2 secrets of webhooks under an old key, 0 under the newest." in said
    assert "godwit doctor --reseal" in said
    status, said = godwit("doctor", "--reseal")
    assert status == 0, said
    assert "well   keys: 2 secrets of webhooks sealed again." in said
    assert "2 keys are given; nothing sealed needs the older ones any more." in said
    assert "0 secrets of webhooks sealed again." in godwit("doctor", "--reseal")[1]
    keys(NEW)
    assert secrets_of(settings_env) == before
    assert "all under the newest key" in godwit("doctor")[1]


def test_a_key_that_is_gone_is_told_with_what_it_costs(
    godwit: Command, settings_env: Settings, keys: Callable[..., None]
) -> None:
    secrets_of(settings_env, add=1)
    keys(NEW)
    for arguments in (("doctor",), ("doctor", "--reseal")):
        status, said = godwit(*arguments)
        assert status == 1
        assert "WRONG  keys: 1 secret of webhooks cannot be opened" in said
        assert "Put that key back" in said


def test_what_waits_for_a_secret_is_counted_and_let_go(godwit: Command, settings_env: Settings) -> None:
    secrets_of(settings_env, add=1)

    async def ask(statement: str) -> int:
        owner = Database(settings_env.database.owner_url, "godwit_owner", 2)
        async with owner.transaction() as tx:
            found = await tx.value(statement)
        await owner.close()
        return found

    make = """
        insert into job (account_id, queue, kind, args, share, max_attempts, on_unknown)
        select account_id, 'webhooks', 'deliver_webhook', '{}', 'endpoint:' || id, 5, 'ready'
        from endpoint returning id
    """
    hold = (
        "update job set state = 'held', reason = 'The secret of the webhook cannot be opened.' returning id"
    )
    assert asyncio.run(ask(make)) == asyncio.run(ask(hold))
    said = godwit("doctor")[1]
    assert "look   keys: 1 delivery of a webhook waits for a secret that did not open." in said
    assert "godwit doctor --reseal" in said
    godwit("doctor", "--reseal")
    assert asyncio.run(ask("select count(*) from job where kind = 'follow_endpoint'")) == 1


def test_a_secret_that_was_changed_stops_no_other(
    godwit: Command, settings_env: Settings, keys: Callable[..., None]
) -> None:
    secrets_of(settings_env, add=2)

    async def spoil() -> None:
        owner = Database(settings_env.database.owner_url, "godwit_owner", 2)
        async with owner.transaction() as tx:
            await tx.execute(
                "update endpoint_secret set sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 1)"
                " where account_id = 7"
            )
        await owner.close()

    asyncio.run(spoil())
    keys(NEW, OLD)
    status, said = godwit("doctor", "--reseal")
    assert status == 1
    assert "1 secret of webhooks did not open although their key is here" in said
    assert "1 secret of webhooks under an old key, 1 under the newest" in said
