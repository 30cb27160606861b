"""`godwit jobs …` as an operator's role: states, ages, reasons; never what a job carries."""

import asyncio
import json
from collections.abc import Callable

import pytest

from app.base import driver
from app.base.database import Database
from app.base.settings import Settings
from app.cli import program
from tests.waiting import until

Command = Callable[..., tuple[int, str, str]]
_MAKE = """
with made as (
    insert into job (account_id, queue, kind, args, share)
    values (7, :queue, 'send_mail', '{"to": "secret@example.org"}', '7') returning id
) select id from made
"""


@pytest.fixture
def godwit(settings_env: Settings, capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: str) -> tuple[int, str, str]:
        status = program.run(list(arguments))
        written = capsys.readouterr()
        return status, written.out.strip(), written.err.strip()

    return run


@pytest.fixture
def made(settings_env: Settings) -> dict[str, int]:
    """A job in each state that an operator looks for, by its state."""

    async def make() -> dict[str, int]:
        owner = Database(settings_env.database.owner_url, "godwit_owner", 1, pooled=False)
        found: dict[str, int] = {}
        async with owner.transaction() as tx:
            await tx.execute("insert into account (id, slug, name) values (7, 'seven', 'Seven')")
            for state, queue in (("ready", "messages"), ("held", "messages"), ("dead", "webhooks")):
                found[state] = await tx.value(_MAKE, queue=queue)
                for move in {"ready": [], "held": ["held"], "dead": ["held", "dead"]}[state]:
                    await tx.execute(
                        "update job set state = :state, reason = 'no answer', attempts = 3 where id = :id",
                        state=move,
                        id=found[state],
                    )
            await tx.execute(
                "insert into attempt (account_id, job_id, number, lease, started_at, ended_at, outcome,"
                " detail, worker)"
                " values (7, :id, 1, 1, now(), now(), 'retry', '{\"reason\": \"no answer\"}', 'w')",
                id=found["dead"],
            )
        return found

    return asyncio.run(make())


def test_what_is_not_over_is_listed_newest_first(godwit: Command, made: dict[str, int]) -> None:
    status, out, _ = godwit("jobs", "--json")
    items = json.loads(out)["items"]
    assert (status, [item["id"] for item in items]) == (0, sorted(made.values(), reverse=True))
    assert items[0]["account"] == "seven"
    assert "secret@example.org" not in out
    lines = godwit("jobs")[1].splitlines()
    assert [line.split("\t")[1] for line in lines] == ["dead", "held", "ready"]


def test_a_state_and_a_queue_narrow_the_list(godwit: Command, made: dict[str, int]) -> None:
    def ids(*how: str) -> list[int]:
        return [item["id"] for item in json.loads(godwit("jobs", *how, "--json")[1])["items"]]

    assert ids("--state", "dead") == [made["dead"]]
    assert ids("--queue", "messages") == [made["held"], made["ready"]]
    assert ids("--queue", "messages", "--state", "dead") == []
    assert ids("--before", str(made["dead"])) == [made["held"], made["ready"]]
    assert godwit("jobs", "--state", "done")[1] == "No job like that."


@pytest.mark.parametrize("wrong", [("--state", "gone"), ("--queue", "nowhere"), ("show", "x"), ("retry",)])
def test_what_cannot_be_meant_is_one_line_and_status_2(godwit: Command, wrong: tuple[str, ...]) -> None:
    status, out, said = godwit("jobs", *wrong)
    assert (status, out, len(said.splitlines())) == (2, "", 1)


def test_one_job_is_shown_with_its_tries_and_without_its_content(
    godwit: Command, made: dict[str, int]
) -> None:
    status, out, _ = godwit("jobs", "show", str(made["dead"]), "--json")
    found = json.loads(out)
    assert (status, found["state"], found["reason"]) == (0, "dead", "no answer")
    assert [(one["outcome"], one["reason"]) for one in found["tried"]] == [("retry", "no answer")]
    shown = godwit("jobs", "show", str(made["dead"]))[1]
    assert "reason: no answer" in shown
    assert "secret@example.org" not in out + shown


def test_a_number_that_is_not_there_says_so(godwit: Command, made: dict[str, int]) -> None:
    status, out, said = godwit("jobs", "show", "999999")
    assert (status, out) == (2, "")
    assert "no job 999999" in said


def test_dead_and_held_ones_are_tried_again(godwit: Command, made: dict[str, int]) -> None:
    """E2: a dead job is not lost."""
    status, out, _ = godwit("jobs", "retry", str(made["dead"]), str(made["held"]), "--json")
    assert (status, json.loads(out)) == (0, {"retried": [made["dead"], made["held"]]})
    found = json.loads(godwit("jobs", "show", str(made["dead"]), "--json")[1])
    assert (found["state"], found["attempts"], found["reason"]) == ("ready", 0, None)


def test_one_that_does_not_fit_leaves_the_others_alone(godwit: Command, made: dict[str, int]) -> None:
    status, out, said = godwit("jobs", "retry", str(made["dead"]), str(made["ready"]))
    assert (status, out) == (2, "")
    assert f"Job {made['ready']} is ready, not dead or held" in said
    assert json.loads(godwit("jobs", "show", str(made["dead"]), "--json")[1])["state"] == "dead"


def test_what_is_given_up_stays_given_up_with_the_reason(godwit: Command, made: dict[str, int]) -> None:
    assert godwit("jobs", "discard", str(made["held"]), "--reason", "duplicate")[0] == 0
    found = json.loads(godwit("jobs", "show", str(made["held"]), "--json")[1])
    assert (found["state"], found["reason"]) == ("discarded", "duplicate")
    assert godwit("jobs", "retry", str(made["held"]))[0] == 2


def test_a_job_that_somebody_else_holds_is_one_line(
    godwit: Command, made: dict[str, int], settings_env: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database's refusal in words, and nothing is changed."""
    monkeypatch.setitem(driver.TIMEOUTS, "lock_timeout", "50ms")

    async def while_it_is_held() -> tuple[int, str, str]:
        owner = Database(settings_env.database.owner_url, "godwit_owner", 1, pooled=False)
        async with owner.transaction() as tx:
            await tx.execute("select from job where id = :id for update", id=made["held"])
            return await asyncio.to_thread(godwit, "jobs", "discard", str(made["dead"]), str(made["held"]))

    status, out, said = asyncio.run(while_it_is_held())
    assert (status, out) == (1, "")
    assert said.endswith("canceling statement due to lock timeout. Nothing was changed: run it again.")
    assert "\n" not in said
    assert godwit("jobs", "retry", str(made["dead"]))[0] == 0


def test_a_reason_that_is_no_text_is_refused(godwit: Command, made: dict[str, int]) -> None:
    status, _, said = godwit("jobs", "discard", str(made["dead"]), "--reason", "\udcff\udcfe")
    assert (status, said) == (2, "What was typed cannot be kept: it is no UTF-8. Nothing was changed.")


def test_several_are_decided_in_the_order_of_their_numbers(
    godwit: Command, made: dict[str, int], settings_env: Settings
) -> None:
    """Two operators at once wait for each other, in one order: neither is the victim of a deadlock."""
    low, high = sorted((made["held"], made["dead"]))
    owner = Database(settings_env.database.owner_url, "godwit_owner", 2, pooled=False)

    async def while_the_lower_is_held() -> tuple[int, str, str]:
        async with owner.transaction() as tx:
            xid = await tx.value(
                "select pg_current_xact_id()::text from job where id = :id for update", id=low
            )

            async def waits() -> bool:
                async with owner.transaction() as other:
                    return await other.value(
                        "select exists (select from pg_locks where not granted and transactionid::text = :x)",
                        x=xid,
                    )

            command = asyncio.create_task(asyncio.to_thread(godwit, "jobs", "discard", str(high), str(low)))
            await until(waits)
            await tx.execute("select from job where id = :id for update nowait", id=high)
        return await command

    assert asyncio.run(while_the_lower_is_held())[0] == 0
