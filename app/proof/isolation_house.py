"""What the bench `isolation` is played in: who asks for codes, what they look at, and who is mailed."""

from dataclasses import dataclass

from app.base.database import Database
from app.proof.figures import Scale
from app.proof.orders import Ask, PeopleOrder
from app.proof.publications import publication
from app.proof.site import filled

ASKS_A_SECOND, PAGES_A_SECOND = 2.0, 40.0
#: Readers of the large publication for each reader of a scale; deliveries of it for each that fails.
_MANY, _PART = 5, 2
_SITES = 4
#: Creators for each account of a scale, and codes of each, within what the limits of a day let one have.
_CREATORS, _OFTEN = 4, 8


@dataclass(frozen=True)
class House:
    """Its databases and the web process, publications by their ids, and what people do there."""

    web: Database
    owner: Database
    port: int
    large: int
    readers: int
    failing: int
    asks: tuple[Ask, ...]
    site: str
    page: str
    posts: int

    def people(self, scene: int, scenes: int) -> PeopleOrder:
        """Who comes in a scene: everybody in turn, to a page that is kept and one that is made anew."""
        share, each = max(1, self.posts // scenes), max(1, len(self.asks) // scenes)
        begin = scene * each % len(self.asks)
        fresh = (f"/post-{n}" for n in range(scene * share + 1, (scene + 1) * share + 1))
        return PeopleOrder(
            port=self.port,
            asks=[*self.asks[begin:], *self.asks[:begin]],
            asks_a_second=ASKS_A_SECOND,
            host=self.site,
            pages=[path for one in fresh for path in (self.page, one)],
            pages_a_second=PAGES_A_SECOND,
        )


async def house(web: Database, owner: Database, port: int, scale: Scale) -> House:
    """Publications with creators and readers who ask for codes, one with many readers, one that is read."""
    creators = _CREATORS * scale.accounts
    for n in range(creators):
        await publication(web, f"creator{n}")
    sites = [f"coming{n}" for n in range(_SITES)]
    for slug in sites:
        await publication(web, slug, -(-creators * _OFTEN // _SITES))
    readers = _MANY * scale.large
    large = await publication(web, "large", readers)
    site = await publication(web, "read")
    page = await filled(web, site, scale.posts)
    asks: list[Ask] = []
    for n in range(creators * _OFTEN):
        network = f"10.{n // 250 % 250}.{n % 250}"
        slug, reader = sites[n % _SITES], n // _SITES
        asks.append(Ask("localhost", f"creator{n % creators}@example.org", f"{network}.1"))
        asks.append(Ask(f"{slug}.localhost", f"reader{reader}@{slug}.example.com", f"{network}.2"))
    return House(
        web, owner, port, large, readers, scale.deliveries // _PART, tuple(asks), "read.localhost", page,
        scale.posts,
    )  # fmt: skip
