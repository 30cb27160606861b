"""What a seeded account holds: the same names and ids for the same seed, made as people make them."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.base import ids
from app.base.database import Tx
from app.base.errors import Invalid, Problem
from app.posts import Writing, create_post
from app.publishing import Press, publish
from app.readers import Arrival, default_newsletter, import_readers
from app.testing.names import FIRST_NAMES, LAST_NAMES
from app.testing.questions import number
from app.testing.receivers import add_receiver
from app.webhooks import NewEndpoint, add_endpoint

OPTIONS = ("seed", "readers", "posts", "newsletters", "endpoints", "limits")
MOST_READERS, MOST_POSTS, MOST_NEWSLETTERS, MOST_ENDPOINTS = 50_000, 200, 20, 20
#: Readers brought in by one statement.
CHUNK = 5000
_LATER = {
    "limits": "Limits in testing mode come in a later part; for now they are off.",
}
_KINDS = ("Quiet", "Salt", "Slow", "Northern", "Paper", "Winter", "Copper", "Late", "Open", "Small")
_THINGS = (
    "Harbour",
    "Letters",
    "Almanac",
    "Notes",
    "Dispatch",
    "Garden",
    "Atlas",
    "Lantern",
    "Shore",
    "Week",
)
_WORDS = ("tide", "gull", "rope", "fog", "bell", "sand", "mast", "reed", "moon", "wake", "pier", "kelp")
_NEWSLETTER = """
insert into newsletter (account_id, id, slug, name) values (:account, :id, :slug, :name)
"""


@dataclass(frozen=True)
class Recipe:
    """How much a seeded account holds. `newsletters` counts the first one, that every account has.

    Each of the `endpoints` has a receiver of its own, and hears what happens after the seed.
    """

    seed: int
    readers: int
    posts: int
    newsletters: int
    endpoints: int


@dataclass(frozen=True)
class Names:
    """What an account of a seed and its creator are called."""

    slug: str
    name: str
    creator: str
    email: str


def recipe_of(given: Mapping[str, Any], seed: int) -> Recipe:
    """Read a recipe; `seed` when none is given. Raises Invalid with every option that is not there yet."""
    given = {name: value for name, value in given.items() if value is not None}
    later = [Problem(name, words) for name, words in _LATER.items() if given.get(name)]
    if later:
        raise Invalid(later)

    def whole(name: str, usual: int, least: int, most: int) -> int:
        return int(number(given, name, usual, least=least, most=most, whole=True) or 0)

    return Recipe(
        seed=whole("seed", seed, 0, 2**53),
        readers=whole("readers", 0, 0, MOST_READERS),
        posts=whole("posts", 0, 0, MOST_POSTS),
        newsletters=whole("newsletters", 1, 1, MOST_NEWSLETTERS),
        endpoints=whole("endpoints", 0, 0, MOST_ENDPOINTS),
    )


def names_of(seed: int) -> Names:
    """What goes by this seed: no two seeds share an address."""
    chosen = _random(seed, "names")
    kind, thing = chosen.choice(_KINDS), chosen.choice(_THINGS)
    first, last = chosen.choice(FIRST_NAMES), chosen.choice(LAST_NAMES)
    slug = f"{kind}-{thing}-{seed}".lower()
    return Names(slug, f"{kind} {thing}", f"{first} {last}", f"{first}@{slug}.example.org".lower())


async def fill(
    tx: Tx, recipe: Recipe, slug: str, creator_id: UUID, creator_name: str, receivers_port: int
) -> None:
    """Fill the transaction's account, in which nothing is yet; receivers are at `receivers_port`."""
    newsletter = await default_newsletter(tx)
    with ids.seeded(f"newsletters {recipe.seed} {slug}"):
        for one in range(2, recipe.newsletters + 1):
            await tx.execute(
                _NEWSLETTER, account=tx.account_id, id=ids.new(), slug=f"letter-{one}", name=f"Letter {one}"
            )
    with ids.seeded(f"readers {recipe.seed} {slug}"):
        readers = [_reader(recipe.seed, slug, n) for n in range(recipe.readers)]
        for start in range(0, len(readers), CHUNK):
            await import_readers(tx, readers[start : start + CHUNK], newsletter.id, "a test's seed")
    with ids.seeded(f"posts {recipe.seed} {slug}"):
        for n in range(1, recipe.posts + 1):
            draft = await create_post(tx, _writing(recipe.seed, n), creator_id)
            key = f"seed:{recipe.seed}:{n}"
            press = Press(key, draft.post_id, site=True, email=None, by=creator_id, by_name=creator_name)
            await publish(tx, press)
    assert tx.account_id is not None
    with ids.seeded(f"endpoints {recipe.seed} {slug}"):
        for n in range(1, recipe.endpoints + 1):
            made = await add_receiver(tx, tx.account_id, receivers_port)
            await add_endpoint(tx, NewEndpoint(made["url"], description=f"Receiver {n}"))


def _reader(seed: int, slug: str, n: int) -> Arrival:
    """Everybody may be mailed; every ninth has no name."""
    chosen = _random(seed, f"reader {n}")
    first, last = chosen.choice(FIRST_NAMES), chosen.choice(LAST_NAMES)
    email = f"{first}.{last}.{n + 1}@{slug}.example.com".lower()
    return Arrival(number=n, email=email, name="" if n % 9 == 8 else f"{first} {last}", state="active")


def _writing(seed: int, n: int) -> Writing:
    chosen = _random(seed, f"post {n}")
    one, other, *more = chosen.sample(_WORDS, 6)
    body = f"The {one} and the {other}.\n\n## {more[0].title()}\n\nThen the {', the '.join(more[1:])}.\n"
    return Writing(title=f"{one.title()} and {other}, number {n}", markdown=body)


def _random(seed: int, what: str) -> random.Random:
    return random.Random(f"{seed} {what}")
