"""What `godwit up --demo` fills in: posts and 200 readers, made through the doors that people use.

A process of its own (`python -m app.cli.demo`), so that `up` starts without loading all of Godwit.
"""

import asyncio
from pathlib import Path
from uuid import UUID

from app.accounts import account_named, create_account
from app.base.database import Database, Tx
from app.posts import Writing, create_post, front_matter
from app.publishing import Email, Press, publish
from app.readers import Arrival, default_newsletter, import_readers
from app.testing import FIRST_NAMES, LAST_NAMES

POSTS = Path(__file__).with_name("demo_posts")
CREATOR = "ana@example.org"
SLUG = "tidelines"
READERS = 200


async def fill() -> str:
    """Fill the demo publication, once; answers its creator's address."""
    database = Database.for_role("web", pooled=False)
    try:
        await _fill(database)
    finally:
        await database.close()
    return CREATOR


async def _fill(database: Database) -> None:
    async with database.transaction() as tx:
        if await account_named(tx, SLUG) is not None:
            return
        await create_account(
            tx,
            email=CREATOR,
            creator_name="Ana Moreau",
            operator=True,
            name="Tidelines",
            slug=SLUG,
            postal_address="4 Harbour Road, Miranda 2473, New Zealand",
        )
        newsletter = await default_newsletter(tx)
        await import_readers(tx, [_reader(number) for number in range(READERS)], newsletter.id, "the demo")
        *earlier, newest = sorted(POSTS.glob("*.md"))
        ana = await tx.value("select id from creator where email = :email", email=CREATOR)
        for path in earlier:
            await _publish(tx, path, ana, mailed=False)
        await _publish(tx, newest, ana, mailed=True)
        books = "Five books with salt on the cover.\n"
        await create_post(tx, Writing(title="Autumn reading", markdown=books), ana)


async def _publish(tx: Tx, path: Path, by: UUID, *, mailed: bool) -> None:
    told, body = front_matter(await asyncio.to_thread(path.read_text, "utf-8"))
    writing = Writing(told["title"], body.strip() + "\n", told["excerpt"], tags=tuple(told["tags"]))
    draft = await create_post(tx, writing, by)
    email = Email() if mailed else None
    key = f"demo:{path.stem}"
    await publish(tx, Press(key, draft.post_id, site=True, email=email, by=by, by_name="Ana Moreau"))


def _reader(number: int) -> Arrival:
    """Most have a name and may be mailed; a few have none, and a few have left."""
    first = FIRST_NAMES[number % len(FIRST_NAMES)]
    last = LAST_NAMES[number // len(FIRST_NAMES) % len(LAST_NAMES)]
    return Arrival(
        number=number,
        email=f"{first}.{last}{number}@example.com".lower(),
        name="" if number % 9 == 0 else f"{first} {last}",
        state="unsubscribed" if number % 25 == 24 else "active",
        tags=("founding",) if number % 12 == 0 else (),
    )


if __name__ == "__main__":
    print(asyncio.run(fill()))
