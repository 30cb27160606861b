"""The ledger's tables as statements name them. Their constraints stand in migrations/."""

from sqlalchemy import BigInteger, Column, MetaData, SmallInteger, Table, Text, Uuid

metadata = MetaData()

send = Table(
    "send",
    metadata,
    Column("account_id", BigInteger, primary_key=True),
    Column("mailing_id", Uuid, primary_key=True),
    Column("reader_id", Uuid, primary_key=True),
    Column("variant", Text),
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
