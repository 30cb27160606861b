"""Templates: they compile, are named for what they are, and need no exception from the content policy."""

import importlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from app.answers import rendering
from app.base.settings import Settings
from tests.architecture.reading import ROOT, files

FOLDER = ROOT / "templates"
TEMPLATES = sorted(path for path in FOLDER.rglob("*.html"))
SHOWN = [path for path in TEMPLATES if path.relative_to(FOLDER).parts[0] != "email"]
FRAGMENTS = [path for path in SHOWN if path.name.startswith("_") and path.parent.name != "layouts"]
_VOID = {"meta", "link", "img", "input", "br", "hr", "source", "path", "circle", "use"}


def name_of(path: Path) -> str:
    return str(path.relative_to(FOLDER))


def test_every_template_compiles(settings_env: Settings) -> None:
    rendering._environment.cache_clear()
    environment = rendering._environment()
    for path in SHOWN:
        environment.get_template(name_of(path))
    rendering._environment.cache_clear()


@pytest.mark.parametrize("path", SHOWN, ids=name_of)
def test_no_template_asks_for_an_exception_from_the_content_policy(path: Path) -> None:
    """No inline script, style or handler: the policy is `self` alone."""
    source = path.read_text("utf-8")
    assert not re.search(r"<style\b", source)
    assert not re.search(r"<script\b(?![^>]*\bsrc=)", source)
    assert not re.search(r"<[^>{]*\s(style|on\w+)\s*=", source)
    assert "javascript:" not in source
    assert "|safe" not in source.replace(" ", "") or "{#- safe:" in source, "say why: {#- safe: … -#}"


@pytest.mark.parametrize("path", FRAGMENTS, ids=name_of)
def test_a_fragment_has_one_root_with_an_id(path: Path) -> None:
    """So that page, answer and live stream put the same thing in the same place."""
    if path.read_text("utf-8").startswith("{#- The inside of #"):  # of an element that the page keeps
        return
    roots = _roots(path.read_text("utf-8"))
    if not roots:
        assert re.search(r"\{\{|\{% (call|include)", path.read_text("utf-8")), "nothing is in it"
        return
    assert len(set(roots)) == 1, f"roots: {roots}; alternatives carry the same id"
    assert roots[0], "the root has no id"


@pytest.mark.parametrize("path", [path for path in SHOWN if path.name.endswith(".oob.html")], ids=name_of)
def test_an_answer_is_made_of_fragments(path: Path) -> None:
    assert '{% include "' in path.read_text("utf-8")


def test_no_template_grew_too_long() -> None:
    assert [name_of(path) for path in SHOWN if len(path.read_text().splitlines()) > 250] == []


@pytest.mark.parametrize("path", SHOWN, ids=name_of)
def test_a_head_names_what_a_template_is_given(path: Path) -> None:
    """`Needs shell, page (posts.editing.Editing)`: there is such a class at that place."""
    head = path.read_text("utf-8").partition("-#}")[0]
    for place, name in re.findall(r"\(((?:[a-z_]+\.)+)([A-Z]\w+)\)", head):
        found = getattr(importlib.import_module(f"app.{place.rstrip('.')}"), name, None)
        assert found is not None, f"app.{place}{name}"
        assert found.__module__ == f"app.{place.rstrip('.')}" or place.count(".") == 1, found.__module__


def test_every_template_is_used() -> None:
    """Somebody renders, includes, imports or extends it; the gallery is for people who build pages."""
    told = "\n".join(path.read_text("utf-8") for path in [*files(), *TEMPLATES])
    names = {name_of(path) for path in SHOWN} - {"gallery.html"}
    assert [name for name in sorted(names) if f'{name}"' not in told] == []


def _roots(source: str) -> list[str | None]:
    """The ids of the elements that stand in no other; statements and comments taken out first."""
    plain = re.sub(r"\{#.*?#\}|\{%.*?%\}", "", source, flags=re.DOTALL)
    plain = re.sub(r"\{\{.*?\}\}", "x", plain, flags=re.DOTALL)
    reader = _Roots()
    reader.feed(plain)
    return reader.roots


class _Roots(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.roots: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.depth == 0:
            self.roots.append(dict(attrs).get("id"))
        if tag not in _VOID:
            self.depth += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.depth == 0:
            self.roots.append(dict(attrs).get("id"))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            self.depth -= 1


@pytest.mark.parametrize("path", SHOWN, ids=name_of)
def test_no_template_gives_a_name_of_its_layout_another_meaning(path: Path) -> None:
    """In a block the layout's value wins: a link built from such a name leads elsewhere."""
    source = path.read_text("utf-8")
    layout = re.search(r'\{% extends "([^"]+)"', source)
    if not layout:
        return
    theirs, ours = _names_set(FOLDER.joinpath(layout[1]).read_text("utf-8")), _names_set(source)
    assert {name: ours[name] for name in theirs.keys() & ours.keys() if ours[name] != theirs[name]} == {}


def _names_set(source: str) -> dict[str, str]:
    """The names set outside any block, with what they are set to."""
    return dict(re.findall(r"^\{%-? set (\w+) = (.+?) -?%\}", source, re.MULTILINE))
