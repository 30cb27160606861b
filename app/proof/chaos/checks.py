"""The promises of the engine as far as books and logs can show them, all in one list.

Each takes what Godwit has written down and what the world outside has, at a quiet moment, and answers what
does not fit. Rows that a scenario has none of are not missed.
"""

from collections.abc import Callable

from app.proof.chaos import of_jobs, of_mail, of_turns, of_webhooks
from app.proof.chaos.books import Books, Logs
from app.proof.chaos.findings import Finding

Check = Callable[[Books, Logs], list[Finding]]
CHECKS: tuple[Check, ...] = (
    of_jobs.nothing_is_lost,
    of_jobs.one_at_a_time,
    of_webhooks.one_of_a_lane,
    of_jobs.only_the_holder_settles,
    of_jobs.one_key_one_job,
    of_turns.tries_are_counted,
    of_webhooks.newest_last,
    of_jobs.one_run_a_slot,
    of_turns.nobody_is_passed_by,
    of_turns.leases_end_in_time,
    of_mail.one_copy_a_reader,
    of_mail.nobody_is_missing,
    of_mail.all_is_settled,
    of_mail.no_mail_without_a_claim,
    of_mail.unknowns_are_not_guessed,
    of_mail.who_left_is_left_alone,
    of_mail.what_stops_is_stopped,
    of_mail.the_same_bytes,
    of_mail.figures_add_up,
    of_mail.reasons_stand,
    of_turns.few_are_not_behind_many,
    of_turns.held_is_not_lost,
    of_jobs.one_key_one_message,
    of_jobs.codes_wait_for_nothing,
    of_webhooks.only_what_happened,
    of_webhooks.readers_are_told_of,
    of_webhooks.everybody_is_told,
    of_webhooks.the_same_event,
    of_webhooks.signed_and_on_record,
    of_jobs.nothing_without_an_account,
)


def check(books: Books, logs: Logs) -> list[Finding]:
    """Every promise that can be looked at."""
    return [finding for one in CHECKS for finding in one(books, logs)]
