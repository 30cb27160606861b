"""The environment is read in one place, and README's table knows every name."""

import ast
import re

from app.base.environment import NAMES
from tests.architecture.reading import ROOT, files, module, tree, where

READERS = {"app.base.settings", "app.base.environment"}


def test_nobody_else_reads_the_environment() -> None:
    """Settings are one frozen tree, read once; `cli` sets up its children's."""
    wrong = [
        where(path, node)
        for path in files()
        if module(path) not in READERS and not module(path).startswith("app.cli")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute)
        and node.attr in ("environ", "getenv", "putenv", "environb")
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    ]
    assert wrong == []


def test_every_setting_stands_in_the_readme_and_no_other() -> None:
    readme = ROOT / "README.md"
    rows = [line for line in readme.read_text("utf-8").splitlines() if line.startswith("|")]
    told = {
        name
        for row in rows
        for name in re.findall(r"`((?:GODWIT_|DATABASE_URL|REDIS_URL)\w*)`", row.split("|")[1])
    }
    assert told == set(NAMES)


def test_every_name_is_read() -> None:
    """A setting that nobody reads is a dead flag."""
    text = (ROOT / "app/base/settings.py").read_text("utf-8")
    for name in NAMES:
        role = re.fullmatch(r"GODWIT_(WEB|WORKER|OPERATOR)_DATABASE_URL", name)
        assert f'"{name}"' in text or (role and "_DATABASE_URL" in text), name
