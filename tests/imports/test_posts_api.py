"""Posts of other products by the API."""

import pytest

from app.base.database import Database
from tests.imports.foreign_files import ghost, ghost_post
from tests.imports.makers import HEADER, run_once
from tests.posts.clients import Served, served
from tests.posts.makers import Desk, make_desk


@pytest.fixture
async def desk(web: Database) -> Desk:
    return await make_desk(web)


async def refusal(here: Served, content: bytes, **options: str) -> tuple[str, str]:
    """The field and the sentence of an import that is not taken."""
    answer = await here.api.post("imports", content=content, params=options)
    assert answer.status_code == 422, answer.text
    (problem,) = answer.json()["errors"]
    return problem["field"], problem["message"]


async def test_posts_come_by_the_api_tried_first_and_then_for_real(
    web: Database, worker: Database, desk: Desk
) -> None:
    """B1, B3: with what of them did not survive."""
    content = ghost(
        ghost_post(1, title="A bird"),
        ghost_post(2, html="<p>x</p><img src='https://elsewhere.example/a.png'>"),
    )
    async with served(web, desk) as here:
        tried = await here.api.post("imports", content=content, params={"dry_run": "1", "format": "ghost"})
        assert tried.status_code == 202
        assert (tried.json()["kind"], tried.json()["format"]) == ("posts", "ghost-posts")
        await run_once(worker)
        assert (await here.api.get("posts")).json()["items"] == []
        made = await here.api.post("imports", files={"file": ("posts.json", content)})
        await run_once(worker)
        done = (await here.api.get(f"imports/{made.json()['id']}")).json()
        assert (done["state"], done["file"], done["created"], done["errors"]) == ("done", "posts.json", 2, [])
        assert "elsewhere.example" in done["losses"][0]["what"]
        assert done["losses_left_off"] == 0
        found = (await here.api.get("posts")).json()["items"]
        assert {one["state"] for one in found} == {"published"}
        readers = await here.api.post("imports", content=f"{HEADER}bo@example.org,Bo,,true,,\n".encode())
        assert readers.json()["kind"] == "readers"


async def test_what_makes_no_sense_for_posts_is_refused(web: Database, desk: Desk) -> None:
    content = ghost(ghost_post(1))
    async with served(web, desk) as here:
        assert (await refusal(here, content, newsletter="newsletter"))[0] == "newsletter"
        assert (await refusal(here, content, consent="stated"))[0] == "consent"
        assert (await refusal(here, content, format="substack"))[0] == "format"
        assert (await refusal(here, b"{}"))[0] == "file"
        assert (await here.api.get("imports")).json()["items"] == []
