"""What the home page tells: what is going out, what needs somebody, and where everything stands."""

from dataclasses import dataclass
from datetime import datetime

from app.accounts import Account
from app.base.database import Tx
from app.broadcasts import BroadcastView, Progress, broadcasts, progress_of
from app.posts import PostLine, PostsWanted, newest_releases, post_lines
from app.readers import ReaderCounts, reader_counts

RECENT = 10
DRAFTS = 5

_NOW = "select godwit_now() as now, (extract(epoch from clock_timestamp()) * 1000)::bigint as version"
# An import brings years of history: only who joined or left here in the last seven days counts.
_WEEK = """
select (select count(*) from reader
        where account_id = :account and joined_at > godwit_now() - interval '7 days') as joined,
       (select count(distinct s.reader_id)
        from subscription s join reader r on r.account_id = s.account_id and r.id = s.reader_id
        where s.account_id = :account and s.state = 'unsubscribed'
          and s.changed_at > godwit_now() - interval '7 days'
          and s.changed_at > r.created_at + interval '1 second') as gone
"""
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
class Latest:
    """The last email that is over."""

    view: BroadcastView
    progress: Progress


@dataclass(frozen=True)
class Overview:
    """The home page. `going` is the newest email still on its way, `others` how many more there are."""

    now: datetime
    going: Progress | None
    others: int
    latest: Latest | None
    needs: tuple[Need, ...]
    readers: ReaderCounts
    joined: int
    gone: int
    drafts: tuple[PostLine, ...]
    has_posts: bool
    has_published: bool

    @property
    def beginning(self) -> bool:
        """Whether the three first steps are still to be shown."""
        return not (self.readers.total and self.has_posts and self.has_published)


async def overview(tx: Tx, account: Account, studio: str) -> Overview:
    """Everything the home page shows, read in one transaction; `studio` is the studio's address."""
    read = await tx.row(_NOW)
    week = await tx.row(_WEEK, account=tx.account_id)
    assert read is not None
    assert week is not None
    recent = [(view, progress_of(view, read.now, read.version)) for view in await broadcasts(tx, most=RECENT)]
    open_ones = [progress for _, progress in recent if progress.state in ("building", "sending")]
    over = [
        Latest(view, progress) for view, progress in recent if progress.state in ("finished", "cancelled")
    ]
    drafts = await post_lines(tx, PostsWanted(state="draft"), DRAFTS)
    published = bool(recent) or bool(await newest_releases(tx, limit=1))
    return Overview(
        now=read.now,
        going=open_ones[0] if open_ones else None,
        others=len(open_ones) - 1 if open_ones else 0,
        latest=over[0] if over else None,
        needs=await _needs(tx, account, studio, [progress for _, progress in recent]),
        readers=await reader_counts(tx),
        joined=week.joined,
        gone=week.gone,
        drafts=tuple(drafts),
        has_posts=bool(drafts) or published or bool(await post_lines(tx, PostsWanted(), 1)),
        has_published=published,
    )


async def _needs(tx: Tx, account: Account, studio: str, recent: list[Progress]) -> tuple[Need, ...]:
    found = [need for progress in recent if (need := _of_email(progress, studio))]
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
    if not account.postal_address:
        words = "goes below every email; without it many mail providers and laws object."
        url = f"{studio}/settings"
        found.append(Need("postal_address", "Your", "postal address", words, None, "Add it", url, "info"))
    return tuple(found)


def _of_email(progress: Progress, studio: str) -> Need | None:
    url, title = f"{studio}/broadcasts/{progress.broadcast_id}", progress.title
    if progress.state == "paused":
        return Need("paused", "The email", title, f"is paused: {progress.reason}.", None, "Look", url, "bad")
    if progress.balance and not progress.balance.balanced:
        words = "is out, but our books and the provider's do not agree."
        return Need("unbalanced", "The email", title, words, progress.balance.at, "Look", url, "bad")
    if progress.unsure:
        words = f"has {progress.unsure.count:,} unsure. We ask for the record; you need do nothing."
        return Need("unsure", "The email", title, words, progress.unsure.since, "Look", url)
    return None
