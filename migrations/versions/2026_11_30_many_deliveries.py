"""Jobs of deliveries by endpoint and state: webhooks of many deliveries are counted and listed by it."""

from migrations.policies import build_index

revision = "2026_11_30_many_deliveries"
down_revision = "2026_11_30_team"


def upgrade() -> None:
    # Ready and leased ones have indexes of their own; other queues never touch this one.
    build_index(
        "job_of_endpoint",
        "job (account_id, share, state, id desc) include (rank)"
        " where queue = 'webhooks' and state in ('held', 'done', 'dead', 'superseded', 'discarded')",
    )
