"""The web deletes posts that never went out: their earlier versions go with them."""

from alembic import op

revision = "2026_11_30_deleting"
down_revision = "2026_11_30_import_access"


def upgrade() -> None:
    op.execute("grant delete on revision to godwit_web")
