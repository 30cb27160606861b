"""Drafts: nothing anyone wrote is lost, and bad input is told clearly."""

from pathlib import Path

import pytest

from app.base.database import Database
from app.base.errors import Conflict, Invalid, NotFound, TooLarge
from app.posts import StaleVersion, Writing, create_post, draft_of, post_line, save_draft
from app.posts.markdown import MAX_MARKDOWN
from tests.posts.makers import make_desk, make_post

LONG_POST = Path(__file__).parents[1] / "data" / "post-long.md"


async def test_a_stale_save_writes_nothing_and_names_who_saved(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    async with web.transaction(desk.account_id) as tx:
        await save_draft(tx, draft.post_id, 1, Writing("Mine", "mine"), desk.creator_id)
    with pytest.raises(StaleVersion, match="Ana Moreau saved version 2") as stale:
        async with web.transaction(desk.account_id) as tx:
            await save_draft(tx, draft.post_id, 1, Writing("Theirs", "theirs"), desk.creator_id)
    assert isinstance(stale.value, Conflict)
    assert stale.value.theirs.writing == Writing("Mine", "mine")
    async with web.transaction(desk.account_id) as tx:
        assert (await draft_of(tx, draft.post_id)).writing == Writing("Mine", "mine")


async def test_a_save_whose_answer_was_lost_is_no_conflict_with_itself(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk)
    for _ in range(2):
        async with web.transaction(desk.account_id) as tx:
            saved = await save_draft(tx, draft.post_id, 1, Writing("Same", "words"), desk.creator_id)
    assert saved.version == 2


async def test_an_unknown_post_is_not_found(web: Database) -> None:
    desk = await make_desk(web)
    other = await make_desk(web, "elsewhere")
    draft = await make_post(web, other)
    async with web.transaction(desk.account_id) as tx:
        with pytest.raises(NotFound):
            await draft_of(tx, draft.post_id)


@pytest.mark.parametrize(
    ("writing", "error", "words"),
    [
        (Writing("t" * 256), Invalid, "at most 255"),
        (Writing("A\0B"), Invalid, "NUL"),
        (Writing("t", "A\0B"), Invalid, "NUL"),
        (Writing("t", "A\ud800B"), Invalid, "half a character"),
        (Writing("t", tags=("a\0",)), Invalid, "NUL"),
        (Writing("t", "x" * 10_000_000), TooLarge, f"{MAX_MARKDOWN:,} are taken"),
        (Writing("t", excerpt="x" * 501), Invalid, "at most 500"),
        (Writing("t", slug="???"), Invalid, "needs a letter"),
        (Writing("t", slug="x" * 400), Invalid, "at most 180"),
        (Writing("t", tags=tuple(map(str, range(31)))), Invalid, "at most 30 tags"),
        (Writing("t", access="anyone"), Invalid, "Access is one of"),
        (Writing(""), Invalid, "Give the post a title."),
    ],
)
async def test_what_cannot_be_stored_is_told_and_nothing_is_made(
    web: Database, writing: Writing, error: type[Exception], words: str
) -> None:
    desk = await make_desk(web)
    with pytest.raises(error, match=words):
        async with web.transaction(desk.account_id) as tx:
            await create_post(tx, writing, titled=True)
    async with web.transaction(desk.account_id) as tx:
        assert await tx.value("select count(*) from post") == 0


async def test_an_empty_title_is_taken_from_the_front_matter(web: Database) -> None:
    desk = await make_desk(web)
    text = LONG_POST.read_text("utf-8")
    draft = await make_post(web, desk, "", text)
    assert draft.writing.title == "The bird that does not land: eleven days over the Pacific"
    assert draft.writing.tags == ("birds", "long reads")
    assert draft.writing.markdown == text
    kept = await make_post(web, desk, "My own title", text)
    assert kept.writing.title == "My own title"


async def test_a_title_that_nobody_can_see_or_that_turns_the_text_is_kept_as_what_is_seen(
    web: Database,
) -> None:
    desk = await make_desk(web)
    assert (await make_post(web, desk, "\u202eRTL", "Text")).writing.title == "RTL"
    assert (await make_post(web, desk, "\u200b", "Text")).writing.title == ""


async def test_half_typed_front_matter_is_saved_as_it_is(web: Database) -> None:
    desk = await make_desk(web)
    draft = await make_post(web, desk, "", '---\ntitle: "unclosed\n---\nText')
    assert draft.title == "Untitled"
    async with web.transaction(desk.account_id) as tx:
        assert (await post_line(tx, draft.post_id)).state == "draft"
