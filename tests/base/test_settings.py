"""Settings: wrong ones refuse to start, and every problem is told at once."""

from pathlib import Path

import pytest

from app.base.settings import Settings, SettingsError, SmtpServer, load

OWNER = "postgresql://postgres:p%40ss@db.example:5433/godwit"
KEY = "Z29kd2l0LXRlc3RzLWtub3ctdGhpcy1rZXktYnktaGU"


@pytest.fixture
def good(tmp_path: Path) -> dict[str, str]:
    return {"DATABASE_URL": OWNER, "REDIS_URL": "redis://localhost", "GODWIT_DATA": str(tmp_path)}


def problems(environ: dict[str, str]) -> list[str]:
    with pytest.raises(SettingsError) as told:
        load(environ)
    return told.value.problems


def test_two_addresses_are_enough_in_development(good: dict[str, str]) -> None:
    found = load(good)
    assert isinstance(found, Settings)
    assert found.mode == "development"
    assert found.database.web_url.startswith("postgresql://godwit_web:")
    assert found.database.web_url.endswith("@db.example:5433/godwit")
    assert len({found.database.web_url, found.database.worker_url, found.database.operator_url}) == 3


def test_every_problem_is_listed_at_once(good: dict[str, str]) -> None:
    told = problems(
        good
        | {
            "DATABASE_URL": "mysql://x",
            "REDIS_URL": "",
            "GODWIT_MODE": "prod",
            "GODWIT_BASE_URL": "studio.example.org",
            "GODWIT_SEND_RATE": "fast",
            "GODWIT_WORKER_POOL": "1",
            "GODWIT_SECRET_KEYS": "short",
            "GODWIT_MAIL_FROM": "nobody",
            "GODWIT_TESTING_TOKEN": "short",
            "GODWIT_SEND_RATES": "1",
        }
    )
    named = {line.split(":")[0] for line in told}
    assert named == {
        "DATABASE_URL", "REDIS_URL", "GODWIT_MODE", "GODWIT_BASE_URL", "GODWIT_SEND_RATE",
        "GODWIT_WORKER_POOL", "GODWIT_SECRET_KEYS", "GODWIT_MAIL_FROM", "GODWIT_TESTING_TOKEN",
        "GODWIT_SEND_RATES",
    }  # fmt: skip


@pytest.mark.parametrize("url", ["nonsense", "http://localhost", "redis://", "redis://host:port/0", "unix:"])
def test_what_is_no_address_of_redis_is_told(good: dict[str, str], url: str) -> None:
    assert problems(good | {"REDIS_URL": url}) == [
        "REDIS_URL: is not a Redis address (redis://:password@host:port/0)"
    ]


def test_a_name_of_ours_that_means_nothing_is_a_slip(good: dict[str, str]) -> None:
    assert problems(good | {"GODWIT_SEND_RAET": "5"}) == [
        "GODWIT_SEND_RAET: is not a setting of Godwit; see the table in README"
    ]
    load(good | {"GODWITLESS": "5", "PATH": "/bin"})


@pytest.mark.parametrize(("window", "fine"), [("299", False), ("300", True)])
def test_the_trust_window_is_ten_calls_long(good: dict[str, str], window: str, fine: bool) -> None:
    """Engine 2.7: or an absent record would count while a call may still be on its way."""
    environ = good | {"GODWIT_TRUST_WINDOW": window}
    if fine:
        assert load(environ).sending.trust_window == 300
    else:
        assert problems(environ) == ["GODWIT_TRUST_WINDOW: must be at least 300 (10 × GODWIT_SEND_TIMEOUT)"]


@pytest.mark.parametrize(
    ("changes", "fine"),
    [
        ({"GODWIT_LEASE": "35"}, False),
        ({"GODWIT_LEASE": "35.1"}, True),
        ({"GODWIT_WEBHOOK_TIMEOUT": "60"}, False),
        ({"GODWIT_WEBHOOK_TIMEOUT": "54"}, True),
    ],
)
def test_a_lease_outlives_the_longer_call(good: dict[str, str], changes: dict[str, str], fine: bool) -> None:
    if fine:
        load(good | changes)
    else:
        assert problems(good | changes)[0].startswith("GODWIT_LEASE: must be more than")


@pytest.mark.parametrize("given", ["nan", "inf", "-1", "", " ", "1e30"])
def test_a_number_is_a_number(good: dict[str, str], given: str) -> None:
    if given.strip():
        assert problems(good | {"GODWIT_SWEEP": given})[0].startswith("GODWIT_SWEEP: ")
    else:
        assert load(good | {"GODWIT_SWEEP": given}).sending.sweep == 1


def test_production_refuses_what_only_development_may(good: dict[str, str]) -> None:
    """No derived log-ins, no owner at runtime, no mailbox, no key made up."""
    told = problems(
        {"GODWIT_MODE": "production", "REDIS_URL": "redis://x", "GODWIT_DATA": good["GODWIT_DATA"]}
    )
    assert {line.split(":")[0] for line in told} == {
        "GODWIT_MAIL_PROVIDER", "GODWIT_SECRET_KEYS", "GODWIT_WEB_DATABASE_URL", "GODWIT_WORKER_DATABASE_URL",
        "GODWIT_OPERATOR_DATABASE_URL",
    }  # fmt: skip
    as_owner = problems(good | {"GODWIT_MODE": "production", "GODWIT_WEB_DATABASE_URL": OWNER})
    assert "GODWIT_WEB_DATABASE_URL: must not be the owner's log-in (DATABASE_URL)" in as_owner


def test_a_missing_key_is_made_once_and_kept_for_the_owners_eyes(
    good: dict[str, str], tmp_path: Path
) -> None:
    first = load(good).secret_keys
    assert load(good).secret_keys == first
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    assert load(good | {"GODWIT_SECRET_KEYS": f"{KEY},{KEY}"}).secret_keys[0] != first[0]


def test_a_site_stands_on_its_own_host_at_the_studios_port(good: dict[str, str]) -> None:
    assert (
        load(good | {"GODWIT_BASE_URL": "http://localhost:8123/"}).site_url("ann")
        == "http://ann.localhost:8123"
    )
    given = good | {"GODWIT_BASE_URL": "https://studio.example.org", "GODWIT_SITE_DOMAIN": "example.org"}
    assert load(given).site_url("ann") == "https://ann.example.org"


SMTP = {"GODWIT_MAIL_PROVIDER": "smtp", "GODWIT_SMTP_URL": "smtp+starttls://ana:p%40s%2Fs@mail.example:587"}


def test_smtp_is_told_where_how_and_as_whom(good: dict[str, str]) -> None:
    found = load(good | SMTP)
    assert found.mail.smtp == SmtpServer("mail.example", 587, "starttls", "ana", "p@s/s")
    assert (found.sending.rate, found.sending.batch, found.sending.dot_timeout) == (10, 1, 600)
    assert load(good | SMTP | {"GODWIT_SMTP_URL": "smtp://[::1]:25"}).mail.smtp == SmtpServer(
        "::1", 25, "plain"
    )
    assert load(good | SMTP | {"GODWIT_SMTP_URL": "smtps://h:465/"}).mail.smtp == SmtpServer("h", 465, "tls")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("", "is required"),
        ("http://mail.example:25", "is not an SMTP address"),
        ("mail.example:25", "is not an SMTP address"),
        ("smtp://:25", "is not an SMTP address"),
        ("smtp://mail.example", "names no port"),
        ("smtp://mail.example:0", "names no port"),
        ("smtp://mail.example:99999", "cannot be read"),
        ("smtp://s3cret@mail.example:25", "half a log-in"),
        ("smtp://:s3cret@mail.example:25", "half a log-in"),
        ("smtp://ana:s3cret/x@mail.example:25", ""),
        ("smtp://ana:s3cret@mail.example:25/path", "ends with host:port"),
        ("smtp://ana:s3cret%0d@mail.example:25", "control character"),
    ],
)
def test_an_smtp_address_that_does_not_fit_is_told_without_its_password(
    good: dict[str, str], given: str, told: str
) -> None:
    [problem] = problems(good | SMTP | {"GODWIT_SMTP_URL": given})
    assert problem.startswith("GODWIT_SMTP_URL: ")
    assert told in problem
    assert "s3cret" not in problem
    assert "s3cret" not in repr(load(good | SMTP | {"GODWIT_SMTP_URL": "smtp://a:s3cret@mail.example:25"}))


@pytest.mark.parametrize(
    ("address", "fine"),
    [("127.0.0.1", True), ("localhost", True), ("[::1]", True), ("mail.example", False), ("10.0.0.1", False)],
)
def test_testing_mode_talks_to_this_machine_alone(good: dict[str, str], address: str, fine: bool) -> None:
    wanted = good | SMTP | {"GODWIT_MODE": "testing", "GODWIT_SMTP_URL": f"smtp://{address}:25"}
    if fine:
        assert load(wanted).mail.smtp is not None
    else:
        assert problems(wanted) == ["GODWIT_SMTP_URL: must be on this machine (127.0.0.1) in testing mode"]


def test_smtp_takes_one_mail_a_call(good: dict[str, str]) -> None:
    assert problems(good | SMTP | {"GODWIT_SEND_BATCH": "2"})[0].startswith(
        "GODWIT_SEND_BATCH: SMTP takes one"
    )
    load(good | SMTP | {"GODWIT_SEND_BATCH": "1"})


def test_a_job_that_hands_copies_over_is_held_as_long_as_a_call_may_take(good: dict[str, str]) -> None:
    sending = load(good | SMTP | {"GODWIT_SMTP_DOT_TIMEOUT": "100"}).sending
    assert sending.lease == 60
    assert sending.sends_lease * 0.9 >= sending.timeout + sending.dot_timeout + 15
    assert load(good | SMTP | {"GODWIT_SMTP_DOT_TIMEOUT": "1"}).sending.sends_lease == 60
    assert load(good).sending.sends_lease == 60
