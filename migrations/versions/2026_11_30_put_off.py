"""A mailing remembers since when the provider puts it off; a skipped copy planned again takes its variant anew."""

from alembic import op

revision = "2026_11_30_put_off"
down_revision = "2026_11_30_old_attempts"


def upgrade() -> None:
    op.execute(
        "alter table mailing add column put_off_since timestamptz, add column put_off_reason text,"
        " add column came_back_at timestamptz"
    )
    op.execute("""
comment on column mailing.put_off_since is
    'Every answer since then was "not now"; null: the last copy was taken or refused.'
""")
    op.execute("grant update (variant) on send to godwit_web")
