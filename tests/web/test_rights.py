"""Each route of the studio is one act, and each role does what the one table says (accounts/rights.py)."""

import re
from pathlib import Path

import pytest
from litestar import get

from app.accounts.rights import ACTS, MAY, ROLES, refusal
from app.base.database import Database
from app.web import routes
from app.web.rights import ROUTES, acts_of_routes
from tests.accounts.makers import become
from tests.readers.makers import a_place
from tests.readers.visitors import STUDIO, creator, opened

TEMPLATES = Path(__file__).parents[2] / "templates"


@get("/nobody/thought/of/it")
async def forgotten() -> None: ...


def test_a_route_without_an_act_is_not_mounted() -> None:
    with pytest.raises(ValueError, match="GET /nobody/thought/of/it"):
        acts_of_routes([*routes.STUDIO, forgotten])


def test_no_line_of_the_table_is_about_a_route_that_is_gone() -> None:
    there = {f"{method} {path}" for method, path in acts_of_routes(routes.STUDIO)}
    assert {line for lines in ROUTES.values() for line in lines.split("\n") if line} == there


def test_an_owner_may_all_and_whoever_may_less_may_no_more() -> None:
    assert set(MAY) == set(ACTS) == set(ROUTES)
    for act, roles in MAY.items():
        assert roles == ROLES[: len(roles)], act
        assert refusal(act).endswith("Ask one of them.")


def test_templates_ask_about_acts_that_there_are() -> None:
    """A misspelt one would hide a button from everybody."""
    told = "".join(path.read_text("utf-8") for path in TEMPLATES.rglob("*.html"))
    asked = set(re.findall(r"\bmay\(\"(\w+)\"\)", told))
    assert asked
    assert asked <= set(ACTS)


async def test_what_a_writer_may_not_is_not_offered_either(web: Database, owner: Database) -> None:
    place = await a_place(web)
    reader = await place.reader()
    offers = {
        "readers?state=active": ("/imports", "/readers/new", "/acts/new", "export.csv"),
        f"readers/{reader.id}": ("/unsubscribe", "/erase", "Save"),
        "settings": ("/export", ">Save<"),
        "posts/new": ("Save and publish",),
        "newsletters": ('/newsletters/new"',),
        "switch": ("/switch/stop",),
    }
    async with opened() as app, await creator(app, place) as desk:
        for role in ("owner", "writer"):
            async with owner.transaction() as tx:
                await become(tx, role)
            for page, words in offers.items():
                shown = await desk.get(f"{STUDIO}/{page}")
                assert shown.status_code == 200
                assert [word for word in words if (word in shown.text) == (role == "writer")] == [], page


async def test_who_may_not_is_told_who_may_on_a_page_with_a_way_back(web: Database, owner: Database) -> None:
    place = await a_place(web)
    async with owner.transaction() as tx:
        await become(tx, "writer")
    async with opened() as app, await creator(app, place) as desk:
        shown = await desk.get(f"{STUDIO}/export/everything.zip")
    assert shown.status_code == 403
    assert "An owner or editor takes readers and everything else along. Ask one of them." in shown.text
    assert 'href="/"' in shown.text
