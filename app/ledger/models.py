"""The ledger's tables as statements name them. Their constraints stand in migrations/."""

from sqlalchemy import BigInteger, Column, DateTime, MetaData, SmallInteger, Table, Text, Uuid

metadata = MetaData()

send = Table(
    "send",
    metadata,
    Column("account_id", BigInteger, primary_key=True),
    Column("mailing_id", Uuid, primary_key=True),
    Column("reader_id", Uuid, primary_key=True),
    Column("variant", Text),
    Column("state", Text),
    Column("reason", Text),
    Column("settled_at", DateTime(timezone=True)),
)

tally = Table(
    "tally",
    metadata,
    Column("account_id", BigInteger, primary_key=True),
    Column("mailing_id", Uuid, primary_key=True),
    Column("shard", SmallInteger, primary_key=True),
    Column("state", Text, primary_key=True),
    Column("n", BigInteger),
)
