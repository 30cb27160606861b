"""Indexes by which what is over, and keys that name an erased address, are found."""

from migrations.policies import build_index

revision = "2026_11_30_remains_found"
down_revision = "2026_11_30_remains"


def upgrade() -> None:
    build_index("job_key_naming", "job_key using gin (account_id, key gin_trgm_ops) where key like '%@%'")
    build_index("reader_code_over", "reader_code (account_id, expires_at)")
    build_index("reader_session_over", "reader_session (account_id, expires_at)")
    build_index("idempotency_old", "idempotency (account_id, created_at)")
