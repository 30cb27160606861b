"""Editions: what a site looks like as of a release and the settings, and the pages rendered from it.

A page is rendered once for everybody who is not signed in, and kept in this process under its account, its
stamp (the newest release number, and a digest of what else stands on every page) and its address. Whether the
stamp is still the newest is looked up at most every LOOK seconds an account, however many ask; at once after
this process itself wrote in the account. Nothing has to be thrown away when a release goes live: nobody asks
for the old stamp again, and the least used pages make room.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from uuid import UUID

from markupsafe import Markup
from sqlalchemy.exc import DBAPIError

from app.accounts import Account, account_named, account_of
from app.answers import Link, SiteFrame, fingerprint, rendered
from app.base.database import Database, Tx, moves
from app.base.errors import NotFound, Unavailable
from app.base.statements import sql
from app.plans import Plan, plans
from app.posts import path_of, site_pages
from app.readers import Newsletter, newsletters
from app.site.caching import Rendered

LOOK = 0.05
"""Seconds for which a site is taken to be as it was."""
MOST_BYTES = 64_000_000
"""Of rendered pages, in each process."""
MOST_SITES = 10_000
READING = 4
"""Connections for pages, in each process."""
#: SQLSTATE: a statement or a lock took too long, or the server is short of something.
_BUSY = ("57014", "55P03", "53")
#: In the order of `Parts`.
_PARTS = (
    "themes/plain/links.html",
    "themes/plain/_mast.html",
    "themes/plain/_ground.html",
    "themes/plain/_joining.html",
)
Key = tuple[str, str]
"""A page of a site: its path, and what its query asked for. A path may hold any letter, so they are two."""
NOBODY_LIVES_HERE = "There is no publication at this address. Perhaps its name is misspelt."


@dataclass(frozen=True)
class Edition:
    """A site as it is now. `stamp`: the account, the newest release number, digests of all the rest."""

    account: Account
    newest: int
    stamp: tuple[int, int, str]
    links: tuple[Link, ...]
    newsletters: tuple[Newsletter, ...]
    plans: dict[UUID, Plan]

    @property
    def letter(self) -> Newsletter | None:
        """The newsletter that a page's form subscribes to."""
        return next((one for one in self.newsletters if one.is_default), None)

    def frame(self, *, signed_in: bool = False) -> SiteFrame:
        """What the site's frame needs."""
        return self.frames[signed_in][0]

    @cached_property
    def frames(self) -> dict[bool, tuple[SiteFrame, "Parts"]]:
        """Frame and parts, for readers who are signed in and for everybody else."""
        return {known: self._framed(known) for known in (False, True)}

    def _framed(self, signed_in: bool) -> tuple[SiteFrame, "Parts"]:
        url = self.account.site_url
        site = SiteFrame(
            name=self.account.name,
            url=url,
            description=self.account.description,
            feed_url=url + "/feed.xml",
            locale=self.account.locale,
            zone=self.account.zone,
            links=self.links,
            signed_in=signed_in,
        )
        made = (rendered(template, site=site, letter=self.letter) for template in _PARTS)
        return site, Parts(*map(Markup, made))


@dataclass(frozen=True)
class Parts:
    """Parts of a theme's pages that hang on the edition alone, as markup."""

    links: Markup
    mast: Markup
    ground: Markup
    joining: Markup


@dataclass
class _Known:
    """What this process knows of a site: the edition, when it looked, and the look under way."""

    edition: Edition
    looked_at: float
    moves: int
    looking: asyncio.Task[Edition] | None = field(default=None)


class Editions:
    """The sites this process has shown, and the pages it has rendered of them."""

    def __init__(self, database: Database) -> None:
        self.database = database
        #: Connections that only read, beside those of the pool: a page waits for nobody who writes.
        self.reading = Database(database.url, database.role, READING)
        self._known: dict[str, _Known] = {}
        self._pages: OrderedDict[tuple[tuple[int, int, str], Key], Rendered] = OrderedDict()
        self._bytes = 0

    @asynccontextmanager
    async def look(self, account_id: int) -> AsyncGenerator[Tx]:
        """Read as the account. Raises Unavailable when the database is away, or has too much to do."""
        try:
            async with self.reading.transaction(account_id, snapshot=True) as tx:
                yield tx
        except DBAPIError as error:
            if not str(getattr(error.orig, "sqlstate", None) or "").startswith(_BUSY):
                raise
            raise Unavailable("The database did not answer in time. Try again in a moment.") from error

    def fresh(self, slug: str) -> Edition | None:
        """The edition, if it was looked at just now."""
        known = self._known.get(slug)
        if known is None or time.monotonic() - known.looked_at > LOOK:
            return None
        return known.edition if moves(known.edition.account.id) == known.moves else None

    async def current(self, slug: str) -> Edition:
        """The edition as it is now; who asks at the same time waits for one look. Raises NotFound."""
        if (edition := self.fresh(slug)) is not None:
            return edition
        known = self._known.get(slug)
        if known is not None:
            try:
                return await self._again(slug, known)
            except NotFound:  # closed, or renamed: another account may have the name by now
                self._known.pop(slug, None)
        return await self._first(slug)

    def recall(self, edition: Edition, key: Key) -> Rendered | None:
        """The page rendered for this address."""
        page = self._pages.get((edition.stamp, key))
        if page is not None:
            self._pages.move_to_end((edition.stamp, key))
        return page

    def keep(self, edition: Edition, key: Key, page: Rendered) -> None:
        """Keep a rendered page; the least used ones make room."""
        before = self._pages.pop((edition.stamp, key), None)
        self._bytes += len(page.body) - (len(before.body) if before else 0)
        self._pages[edition.stamp, key] = page
        while self._bytes > MOST_BYTES and self._pages:
            _, gone = self._pages.popitem(last=False)
            self._bytes -= len(gone.body)

    async def _first(self, slug: str) -> Edition:
        async with self.database.transaction() as tx:
            account_id = await account_named(tx, slug)
        if account_id is None:
            raise NotFound(NOBODY_LIVES_HERE)
        return await self._look(slug, account_id, None)

    async def _again(self, slug: str, known: _Known) -> Edition:
        """One look for all who wait; it goes on when the first of them goes away."""
        if known.looking is None or known.looking.done():
            known.looking = asyncio.create_task(self._look(slug, known.edition.account.id, known.edition))
        elif moves(known.edition.account.id) != known.moves:
            # It may have begun before what this process wrote: what was read then is no answer now.
            return await self._look(slug, known.edition.account.id, known.edition)
        try:
            return await asyncio.shield(known.looking)
        except Unavailable:  # the database is away: what is kept is shown until it is back
            known.looked_at = time.monotonic()
            return known.edition

    async def _look(self, slug: str, account_id: int, before: Edition | None) -> Edition:
        at, moved = time.monotonic(), moves(account_id)
        async with self.look(account_id) as tx:
            row = await tx.row(sql(__package__, "stamp"), account=account_id)
            if row is None or row.slug != slug:
                raise NotFound(NOBODY_LIVES_HERE)
            stamp = (account_id, row.newest, row.rest + fingerprint())
            edition = before if before and before.stamp == stamp else await _edition(tx, stamp)
        if len(self._known) >= MOST_SITES:
            self._known.clear()
        self._known[slug] = _Known(edition, at, moved)
        return edition


async def _edition(tx: Tx, stamp: tuple[int, int, str]) -> Edition:
    account, pages = await account_of(tx), await site_pages(tx)
    return Edition(
        account=account,
        newest=stamp[1],
        stamp=stamp,
        links=tuple(Link(page.title, path_of(page.slug)) for page in pages),
        newsletters=tuple(await newsletters(tx)),
        plans={plan.id: plan for plan in await plans(tx, archived=True)},
    )
