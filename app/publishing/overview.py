"""What the home page tells: what is going out, what needs somebody, and where everything stands."""

from dataclasses import dataclass
from datetime import datetime

from app.accounts import Account
from app.answers import plural
from app.base import clock
from app.base.database import Tx
from app.broadcasts import BroadcastLine, Progress, read_broadcasts
from app.posts import PostLine, PostsWanted, post_counts, post_lines
from app.publishing.waiting import Scheduled, failed_lately, next_scheduled
from app.readers import LastWeek, ReaderCounts, floods, last_week, reader_counts
from app.webhooks import Trouble, Waiting, troubles, waiting

RECENT = 10
GOING = ("scheduled", "building", "sending")
DRAFTS = 5

# publishing and imports do not know each other: this is one row of another slice's table, read and no more.
_FAILED_IMPORT = """
select id, file_name, reason, finished_at from import i
where account_id = :account and state = 'failed' and finished_at > godwit_now() - interval '30 days'
  and not exists (select from import later where later.account_id = i.account_id
                  and later.state = 'done' and later.created_at > i.created_at)
order by created_at desc limit 1
"""


@dataclass(frozen=True)
class Need:
    """Something that needs somebody: a sentence, since when, one button. `tone` is warn, bad or info."""

    key: str
    before: str
    name: str
    after: str
    since: datetime | None
    label: str
    url: str
    tone: str = "warn"


@dataclass(frozen=True)
class Overview:
    """The home page: the newest email on its way, how many `others` there are, the latest that is over.

    `next` is what goes out next by itself.
    """

    now: datetime
    going: Progress | None
    others: int
    latest: BroadcastLine | None
    next: Scheduled | None
    needs: tuple[Need, ...]
    readers: ReaderCounts
    week: LastWeek
    drafts: tuple[PostLine, ...]
    has_posts: bool
    has_published: bool

    @property
    def beginning(self) -> bool:
        """Whether the three first steps are still to be shown."""
        return not (self.readers.total and self.has_posts and self.has_published)


async def overview(tx: Tx, account: Account, studio: str, *, webhooks: bool = True) -> Overview:
    """Everything the home page shows, read in one transaction; `studio` is the studio's address.

    `webhooks`: whether whoever looks can do anything about one that is in trouble.
    """
    recent = await read_broadcasts(tx, most=RECENT)
    open_ones = [line.progress for line in recent if line.progress.state in GOING]
    over = [line for line in recent if line.progress.state in ("finished", "cancelled")]
    drafts = [one for one in await post_lines(tx, PostsWanted(state="draft"), 50) if not one.scheduled_at]
    counts = await post_counts(tx)
    return Overview(
        now=clock.now(),
        going=open_ones[0] if open_ones else None,
        others=len(open_ones) - 1 if open_ones else 0,
        latest=over[0] if over else None,
        next=await next_scheduled(tx),
        needs=await _needs(tx, account, studio, [line.progress for line in recent], webhooks),
        readers=await reader_counts(tx),
        week=await last_week(tx),
        drafts=tuple(drafts[:DRAFTS]),
        has_posts=counts.total > 0,
        has_published=bool(recent) or counts.draft < counts.total,
    )


async def _needs(
    tx: Tx, account: Account, studio: str, recent: list[Progress], webhooks: bool
) -> tuple[Need, ...]:
    found = [need for progress in recent if (need := _of_email(progress, studio))]
    late = await failed_lately(tx)
    if late:
        url = f"{studio}/scheduled/{late.id}"
        words = f"was not published at its time: {late.reason}"
        found.append(Need("scheduled", "The post", late.title, words, late.ended_at, "Look", url, "bad"))
    failed = await tx.row(_FAILED_IMPORT, account=tx.account_id)
    if failed:
        name = failed.file_name or "your file"
        url = f"{studio}/imports/{failed.id}"
        found.append(
            Need(
                "import",
                "The import of",
                name,
                f"stopped: {failed.reason}",
                failed.finished_at,
                "Look",
                url,
                "bad",
            )
        )
    if webhooks:
        found += [_of_webhook(one, studio) for one in await troubles(tx)]
        found += [_of_waiting(one, studio) for one in await waiting(tx)]
    for flood in (await floods(tx, days=1))[:1]:
        words = f"was asked {flood.asked:,} times, so its mails are slowed. Is it a program?"
        name, url = flood.form or "of the subscribe page", f"{studio}/newsletters"
        found.append(Need("flood", "The form", name, words, flood.since, "Look", url, "warn"))
    if not account.postal_address:
        words = "goes below every email; without it no email can leave."
        url = f"{studio}/settings"
        found.append(Need("postal_address", "Your", "postal address", words, None, "Add it", url, "info"))
    return tuple(found)


def _of_webhook(one: Trouble, studio: str) -> Need:
    off = one.reason is not None
    many = f"failed {one.failures:,} times in a row. It is called again by itself; see what it answers."
    words = f"is switched off: {one.reason}" if off else many
    url, tone = f"{studio}/endpoints/{one.id}", "bad" if off else "warn"
    return Need("webhook", "The webhook", one.name, words, one.since, "Look", url, tone)


def _of_waiting(one: Waiting, studio: str) -> Need:
    why = "Its secret could not be opened." if one.shut else "Nobody knows what became of it."
    words = f"is on, and has {plural(one.count, 'delivery', 'deliveries')} that wait. {why}"
    return Need(
        "webhook_waits", "The webhook", one.name, words, None, "Look", f"{studio}/endpoints/{one.id}", "bad"
    )


def _of_email(progress: Progress, studio: str) -> Need | None:
    url, title = f"{studio}/broadcasts/{progress.broadcast_id}", progress.title
    if progress.state == "paused":
        return Need("paused", "The email", title, f"is paused: {progress.reason}.", None, "Look", url, "bad")
    if progress.balance and not progress.balance.balanced:
        words = "is out, but our books and the provider's do not agree."
        return Need("unbalanced", "The email", title, words, progress.balance.at, "Look", url, "bad")
    if progress.unsure and progress.unsure.undecided:
        words = f"has {progress.unsure.count:,} unsure, and no record to ask. Somebody has to decide."
        decide = f"{url}/unsure"
        return Need("undecided", "The email", title, words, progress.unsure.since, "Decide", decide, "bad")
    if progress.doubles:
        words = f"may have reached {plural(progress.doubles, 'reader')} twice."
        return Need("doubles", "The email", title, words, None, "Look", f"{url}/unsure")
    if progress.unsure:
        words = f"has {progress.unsure.count:,} unsure. We ask for the record; you need do nothing."
        return Need("unsure", "The email", title, words, progress.unsure.since, "Look", url)
    return None
