"""Among many readers: find, filter, keep a segment, tag all of them, look at one, take it back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.keys import tab_to
from e2e.pages.readers import Act, Readers
from e2e.pages.studio import Studio
from e2e.pages.visitor import Visitor
from e2e.running import Godwit

MANY = 120


@pytest.fixture(params=[True, False], ids=["with scripts", "without JavaScript"])
def studio(godwit: Godwit, visit: Callable[..., Visitor], request: pytest.FixtureRequest) -> Studio:
    """Signed in to a publication with many readers."""
    made = godwit.an_account(readers=MANY)
    return Studio(visit(godwit, scripted=request.param, storage_state=made.storage_state), made.slug)


def test_many_are_found_kept_tagged_and_looked_at(studio: Studio) -> None:
    """Every page, with scripts and without."""
    visitor, readers = studio.visitor, Readers(studio)
    studio.open()
    readers.open()
    assert readers.counts() == {"all": MANY, "active": MANY, "unsubscribed": 0}
    name = readers.listed()[0].split(".")[0]
    readers.find(name)
    many = readers.found()
    assert 0 < many < MANY
    assert all(name in address for address in readers.listed())
    visitor.follow("Do something with all " + str(many))
    visitor.page.locator("#tag-tag").fill("met at sea")
    visitor.press(f"Tag {many} readers" if many > 1 else "Tag 1 reader")
    visitor.ready()
    assert "were given the tag “met at sea”" in Act(studio).finished()
    _as_segment(studio, many)
    visitor.follow(readers.listed()[0])
    expect(visitor.box("Tags")).to_have_value("met at sea")
    expect(visitor.page.get_by_text("How it came about")).to_be_visible()
    studio.open("readers/acts")
    visitor.follow("Tag “met at sea”")
    visitor.press("Take it back")
    visitor.ready()
    assert "lost the tag “met at sea”" in Act(studio).finished()
    studio.open("readers/segments")
    assert visitor.figure("size") == 0


def _as_segment(studio: Studio, many: int) -> None:
    visitor, readers = studio.visitor, Readers(studio)
    readers.open()
    visitor.fill("Tag", "met at sea")
    visitor.press("Find")
    visitor.ready()
    assert readers.found() == many
    visitor.follow("Keep as a segment")
    visitor.fill("Name", "Sea people")
    visitor.press("Keep this segment")
    visitor.ready()
    expect(visitor.heading()).to_have_text("Readers")
    expect(visitor.page.get_by_text("in the segment Sea people").first).to_be_visible()
    assert readers.found() == many


def test_what_destroys_is_typed_and_wrong_choices_stay(studio: Studio) -> None:
    """Nothing is lost by a slip, and nothing done."""
    visitor, readers = studio.visitor, Readers(studio)
    visitor.watch.expected |= {422}
    studio.open("readers?from=someday&q=a")
    expect(visitor.page.get_by_role("alert").first).to_contain_text("year-month-day")
    expect(visitor.box("Address or name")).to_have_value("a")
    studio.open("readers/acts/new")
    visitor.page.get_by_text("Erase them").click()
    visitor.box(f"To do so, type: erase {MANY}").fill("erase them all")
    visitor.press(f"Erase {MANY} readers")
    visitor.ready()
    expect(visitor.page.get_by_role("alert").first).to_contain_text("Nothing was done")
    readers.open()
    assert readers.counts()["all"] == MANY


def test_find_and_tag_with_keys_alone(godwit: Godwit, visit: Callable[..., Visitor]) -> None:
    """Every stop shows its focus."""
    made = godwit.an_account(readers=30)
    studio = Studio(visit(godwit, storage_state=made.storage_state), made.slug)
    page = studio.visitor.page
    studio.open("readers")
    tab_to(page, "Tag")
    page.keyboard.type("birds")
    tab_to(page, "Address or name", back=True)
    page.keyboard.type("example")
    tab_to(page, "Tag")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=example**")
    studio.visitor.ready()
    assert Readers(studio).found() == 30
    tab_to(page, "Do something with all 30")
    page.keyboard.press("Enter")
    page.wait_for_url("**/acts/new**")
    studio.visitor.ready()
    tab_to(page, "Tag")
    page.keyboard.type("birds")
    page.keyboard.press("Enter")
    page.wait_for_url("**/acts/*-*")
    assert Act(studio).finished() == "30 readers were given the tag “birds”."
