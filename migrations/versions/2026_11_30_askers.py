"""Codes of readers belong to the browser that asked for them, so that a stranger's wrong tries spend nobody else's."""

from migrations.policies import run

revision = "2026_11_30_askers"
down_revision = "2026_11_30_remains_found"


def upgrade() -> None:
    run("""
alter table reader_code add column asker_hash bytea
;;
comment on column reader_code.asker_hash is
    'The browser that asked, by the hash of its cookie: only there the six digits are taken. Null: anywhere, as before.'
""")
