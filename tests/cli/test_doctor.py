"""`godwit doctor`: what is well is said in a line, what is not with what to do."""

import asyncio
import json
from collections.abc import Callable, Iterator
from uuid import uuid4

import asyncpg
import pytest

from app.base.settings import Settings, settings
from app.cli import program
from app.jobs import QUEUES
from tests.harness import at_database, copy_template

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def own_database(
    server_urls: tuple[str, str], settings_env: Settings, monkeypatch: pytest.MonkeyPatch
) -> str:
    """A database whose schema this test may spoil."""
    name = f"doctor_{uuid4().hex}"
    asyncio.run(copy_template(server_urls[0], name))
    url = at_database(server_urls[0], name)
    monkeypatch.setenv("DATABASE_URL", url)
    settings.cache_clear()
    return url


@pytest.fixture
def godwit(settings_env: Settings, capsys: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Run a command; answers its status and what it wrote to stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = program.run(list(arguments))
        written = capsys.readouterr()
        return status, written.out.strip(), written.err.strip()

    return run


def spoil(url: str, *statements: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(url)
        for statement in statements:
            await connection.execute(statement)
        await connection.close()

    asyncio.run(run())


_WORKS = (
    "insert into worker (name, queues, version) values ('here:1', string_to_array('{}', ','), '1')"
).format(",".join(QUEUES))


def test_a_house_that_is_well_says_so(godwit: Command, settings_env: Settings) -> None:
    spoil(settings_env.database.owner_url, _WORKS)
    status, said, _ = godwit("doctor")
    assert status == 0, said
    assert said.splitlines()[-1] == "All well."
    for topic in ("settings", "database", "rights", "row security", "clock", "work", "redis", "mail", "dns"):
        assert f"well   {topic}: " in said
    assert "password" not in said


def test_mail_that_is_stopped_is_something_to_look_at(godwit: Command, settings_env: Settings) -> None:
    """L10: who was woken reads it here, and what starts it."""
    assert godwit("account", "create", "--slug", "sea", "--email", "ana@example.org", "--name", "Sea")[0] == 0
    assert godwit("switch", "on", "--account", "sea", "--reason", "Spam")[0] == 0
    assert godwit("switch", "on", "--reason", "A leak")[0] == 0
    said = godwit("doctor")[1]
    assert "look   mail: Everybody's mail is stopped since " in said
    assert ": A leak\n       Run: godwit switch off --reason …" in said
    assert "look   mail: Publications' own switches keep mail back: sea." in said
    spoil(settings_env.database.owner_url, "update switch set stopped = false where account_id = 0")
    assert "was started, and what waited is still held, since " in (said := godwit("doctor")[1])
    assert "Run: godwit switch let-go" in said
    assert godwit("switch", "let-go")[0] == 0
    assert "Everybody's mail" not in godwit("doctor")[1]


def test_whom_nobody_saw_is_named_as_by_readyz(godwit: Command, settings_env: Settings) -> None:
    """Nobody need be at work while a house is tried out; where work waits it is wrong."""
    status, said, _ = godwit("doctor")
    assert (status, said.splitlines()[-1]) == (0, "Nothing is wrong, 1 to look at.")
    assert "look   work: No worker was seen for codes_creators, " in said
    late = (
        "insert into job (account_id, queue, kind, args, share, run_at)"
        " values (0, 'build', 'anything', '{}', '0', now() - interval '1 hour')"
    )
    spoil(settings_env.database.owner_url, late)
    status, said, _ = godwit("doctor")
    assert status == 1
    assert "WRONG  work: No worker was seen for" in said
    assert "WRONG  work: Due work waits and nobody is at it: build for 36" in said


def test_programs_read_it_as_json(godwit: Command) -> None:
    status, said, _ = godwit("doctor", "--json")
    told = json.loads(said)
    assert (status, told["well"]) == (0, True)
    assert {"topic", "level", "said", "fix"} == set(told["findings"][0])


def test_settings_that_are_wrong_are_all_listed(godwit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GODWIT_LEASE", "1")
    monkeypatch.setenv("GODWIT_SENT_RATE", "5")
    settings.cache_clear()
    status, said, _ = godwit("doctor", "--json")
    found = json.loads(said)["findings"]
    assert status == 1
    assert [(one["topic"], one["level"]) for one in found] == [("settings", "wrong")] * 2
    assert any("GODWIT_SENT_RATE" in one["said"] for one in found)


@pytest.mark.parametrize(
    ("spoiled", "topic", "said", "fix"),
    [
        (
            "grant delete on plan to godwit_worker",
            "rights",
            "godwit_worker may delete on plan, which nobody needs.",
            "As the owner: revoke delete on plan from godwit_worker;",
        ),
        (
            "revoke select on newsletter from godwit_worker",
            "rights",
            "godwit_worker may not select on newsletter, which it needs.",
            "As the owner: grant select on newsletter to godwit_worker;",
        ),
        (
            "grant update (name) on account to godwit_worker",
            "rights",
            "godwit_worker may update (name) on account, which nobody needs.",
            "revoke update (name) on account from godwit_worker;",
        ),
        (
            "grant execute on function memberships_of(uuid) to public",
            "rights",
            "Everybody may call memberships_of(uuid).",
            "revoke all on function memberships_of(uuid) from public;",
        ),
        (
            "alter table reader no force row level security",
            "row security",
            "The rows of reader are not kept apart by account.",
            "alter table reader enable row level security, force row level security;",
        ),
        (
            "update alembic_version set version_num = 'older'",
            "database",
            "The schema is older, this version's is",
            "Run: godwit migrate",
        ),
    ],
)
def test_what_is_not_as_it_should_be_comes_with_its_fix(
    godwit: Command, own_database: str, spoiled: str, topic: str, said: str, fix: str
) -> None:
    spoil(own_database, f"set role godwit_owner; {spoiled}")
    status, told, _ = godwit("doctor", "--json")
    (found,) = [one for one in json.loads(told)["findings"] if one["level"] == "wrong"]
    assert status == 1
    assert found["topic"] == topic
    assert said in found["said"]
    assert fix in found["fix"]


def test_a_policy_that_shows_other_accounts_is_found_by_what_it_shows(
    godwit: Command, own_database: str
) -> None:
    """T1, by the rows themselves and not only by the flags."""
    godwit("account", "create", "--email", "ann@example.org", "--name", "Ann", "--slug", "anns-notes")
    spoil(own_database, "create policy leak on newsletter for select to godwit_web using (true)")
    status, told, _ = godwit("doctor")
    assert status == 1
    assert "WRONG  row security: godwit_web reads rows of newsletter although it is in no account." in told


def test_a_log_in_that_is_too_mighty_is_told(
    godwit: Command, settings_env: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may take any role, whatever role its connections begin with."""
    mighty = settings_env.database.owner_url.replace("127.0.0.1", "localhost")
    monkeypatch.setenv("GODWIT_WEB_DATABASE_URL", mighty)
    settings.cache_clear()
    status, told, _ = godwit("doctor")
    assert status == 1
    assert "of web is a superuser" in told


def test_a_database_that_is_away_is_one_thing_and_the_rest_is_still_looked_at(
    godwit: Command, settings_env: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://postgres:secret-word@127.0.0.1:1/godwit")
    settings.cache_clear()
    status, told, _ = godwit("doctor")
    assert status == 1
    assert told.count("does not get in") == 3
    assert "well   redis" in told
    assert "secret-word" not in told


def test_redis_that_is_away_is_told(godwit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    settings.cache_clear()
    status, told, _ = godwit("doctor")
    assert status == 1
    assert "WRONG  redis: Redis does not answer" in told
    assert "Nothing is lost" in told


def test_a_provider_that_does_not_let_us_in_is_told(godwit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GODWIT_MAIL_PROVIDER", "smtp")
    monkeypatch.setenv("GODWIT_SMTP_URL", "smtp://ann:secret-word@127.0.0.1:1")
    settings.cache_clear()
    status, told, _ = godwit("doctor")
    assert status == 1
    assert "WRONG  mail: The mail server 127.0.0.1:1 does not let us in" in told
    assert "WRONG  dns: Mail comes from godwit@localhost" in told
    assert "secret-word" not in told


def test_a_key_that_others_may_read_is_told(godwit: Command, settings_env: Settings) -> None:
    settings_env.data.mkdir(parents=True)
    kept = settings_env.data / "secret_key"
    kept.write_text("x")
    kept.chmod(0o644)
    status, told, _ = godwit("doctor")
    assert status == 1
    assert f"chmod 600 {kept}" in told


def test_a_machine_that_knows_only_the_log_ins_of_its_processes_is_looked_at(
    godwit: Command, settings_env: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In production the owner's log-in is where migrations run, and nowhere else."""
    for role in ("web", "worker", "operator"):
        url = getattr(settings_env.database, f"{role}_url")
        monkeypatch.setenv(f"GODWIT_{role.upper()}_DATABASE_URL", url)
    for name, value in {
        "GODWIT_MODE": "production",
        "GODWIT_BASE_URL": "http://studio.example.org",
        "GODWIT_MAIL_PROVIDER": "smtp",
        "GODWIT_SMTP_URL": "smtp://127.0.0.1:1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("DATABASE_URL")
    settings.cache_clear()
    status, told, _ = godwit("doctor")
    assert status == 1
    assert told.count("and is nobody more.") == 3
    assert "look   database: The owner (DATABASE_URL) does not get in" in told
    assert "WRONG  settings: The studio is at http" in told
    assert "well   row security" in told


def test_a_dump_loaded_without_its_roles_is_told_with_what_to_do(godwit: Command, own_database: str) -> None:
    """Its tables are whoever's loaded it."""
    spoil(own_database, "alter table alembic_version owner to postgres")
    status, _, told = godwit("migrate")
    assert status == 1
    assert "a dump was loaded before its roles were there" in told
    assert "\n" not in told
