"""The links and pictures of a post are truly looked up, however many they are."""

from app.base.database import Database
from app.posts import Media, note_image, write_image
from app.publishing import plan
from tests.posts.makers import Desk, make_desk, make_post, publish_post
from tests.posts.test_media import drawn

NOWHERE = "/media/" + "0" * 64 + ".png"


async def looked_at(web: Database, desk: Desk, markdown: str, **more: object) -> tuple[tuple[str, ...], str]:
    """What the check list says of a draft, and what it looked at."""
    draft = await make_post(web, desk, "Links", markdown, **more)
    async with web.transaction(desk.account_id) as tx:
        checks = (await plan(tx, draft.post_id)).checks
    return checks.think, checks.looked


async def a_picture(web: Database, desk: Desk) -> Media:
    async with web.transaction(desk.account_id) as tx:
        return await note_image(tx, await write_image(drawn("PNG"), "bird.png"))


def nothing_at(name: str, path: str) -> str:
    return f"{name} leads to {path} on your site, where there is nothing."


async def test_the_hundred_and_first_link_is_tried_as_the_first_is(web: Database) -> None:
    desk = await make_desk(web)
    links = " ".join(f"[a{n}](/archive)" for n in range(122))
    think, looked = await looked_at(web, desk, f"{links} [last](/not-there)")
    assert nothing_at("“last”", "/not-there") in think
    assert "Looked up: 123 of 123 links and pictures" in looked


async def test_many_links_that_lead_nowhere_are_told_twenty_at_a_time(web: Database) -> None:
    desk = await make_desk(web)
    think, _ = await looked_at(web, desk, " ".join(f"[n{n}](/none-{n})" for n in range(2000)))
    assert sum("where there is nothing" in words for words in think) == 20
    assert "1,980 more links lead nowhere." in think


async def test_tags_pictures_and_years_are_there_or_not(web: Database) -> None:
    """What no post has, no folder holds and no page answers is told."""
    desk = await make_desk(web)
    await publish_post(web, desk, await make_post(web, desk, "One", "Words", tags=("Tide Pools",)))
    kept = await a_picture(web, desk)
    think, looked = await looked_at(
        web,
        desk,
        f"""
[pools](/tag/tide-pools) [marks](/tag/Tide%20Pools/) [none](/tag/none) [year](/archive?year=2026)
[old](/archive/2026)
[file](/media/nope.png) [nul](/a%00b) [pages](/links/)

![here]({kept.url}) ![gone]({NOWHERE}) ![own](http://tidelines.localhost:8000/gone.png) ![]({NOWHERE}#x)
![away](https://example.org/a.png) ![other ending]({kept.url.replace(".png", ".jpg")})
""",
    )
    told = [words for words in think if "where there is nothing" in words]
    assert told == [
        nothing_at("“none”", "/tag/none"),
        nothing_at("“old”", "/archive/2026"),
        nothing_at("“file”", "/media/nope.png"),
        nothing_at("“nul”", "/ab"),
        nothing_at("The picture “gone”", NOWHERE),
        nothing_at("The picture “own”", "/gone.png"),
        nothing_at("A picture", NOWHERE),
        nothing_at("The picture “other ending”", kept.url.replace(".png", ".jpg")),
    ]
    assert "13 of 14 links and pictures" in looked


async def test_the_cover_is_looked_up_too(web: Database) -> None:
    desk = await make_desk(web)
    kept = await a_picture(web, desk)
    assert nothing_at("The cover", NOWHERE) in (await looked_at(web, desk, "Words", cover=NOWHERE))[0]
    assert "The cover" not in " ".join((await looked_at(web, desk, "More words", cover=kept.url))[0])


async def test_what_left_the_site_or_is_another_publications_is_nothing(web: Database) -> None:
    """A draft, an unpublished post and a neighbour's post are nowhere on this site."""
    desk, other = await make_desk(web), await make_desk(web, "mudflats")
    await publish_post(web, other, await make_post(web, other, "Theirs"))
    await make_post(web, desk, "Draft")
    think, _ = await looked_at(web, desk, "[a](/theirs) [b](/draft) [c](/links)")
    assert [words for words in think if "where there is nothing" in words] == [
        nothing_at("“a”", "/theirs"),
        nothing_at("“b”", "/draft"),
    ]
