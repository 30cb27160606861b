"""Which Godwit this is: pyproject.toml says it, and nothing else may say something different."""

import re
import tomllib
from importlib.metadata import version

from tests.architecture.reading import ROOT

SAID = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def test_the_newest_changes_in_the_readme_are_those_of_this_version() -> None:
    """Raise `version` in pyproject.toml together with a new heading under Changes."""
    _, _, changes = (ROOT / "README.md").read_text().partition("\n## Changes\n")
    headings = re.findall(r"^### ([\d.]+): ", changes, re.M)
    assert headings[0] == SAID.rpartition(".")[0]
    assert headings == sorted(headings, key=lambda one: [int(part) for part in one.split(".")], reverse=True)


def test_what_is_installed_tells_this_version() -> None:
    """`godwit --version` tells what was installed; `./godwit` installs anew when pyproject.toml changed."""
    assert version("godwit") == SAID
