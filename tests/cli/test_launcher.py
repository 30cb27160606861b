"""The launcher ./godwit: installs when it must, once, and is quiet when it need not."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from app.cli.folder import ROOT

#: Stands in for uv: makes what an installation makes, and says in a file that it was asked.
UV = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$1" in
  venv) for last; do :; done; mkdir -p "$last/bin"; printf '#!/bin/sh\\n' > "$last/bin/python"; chmod +x "$last/bin/python" ;;
  pip) for last; do :; done
       case "$*" in *--no-deps*) printf '#!/bin/sh\\necho ran "$@"\\n' > "$last/.venv/bin/godwit"; chmod +x "$last/.venv/bin/godwit" ;; esac ;;
esac
"""  # noqa: E501


class Tree:
    """A clone with a launcher and nothing installed."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "clone"
        self.root.mkdir()
        for name in ("godwit", "constraints.txt", "pyproject.toml"):
            shutil.copy(ROOT / name, self.root / name)
        tools = folder / "tools"
        tools.mkdir()
        (tools / "uv").write_text(UV)
        (tools / "uv").chmod(0o755)
        self.calls = folder / "calls"
        self.env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "CALLS": str(self.calls)}

    def start(self) -> "subprocess.Popen[str]":
        command = [str(self.root / "godwit"), "check", "two words"]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=self.env, stdout=pipe, stderr=pipe, text=True)

    def run(self) -> str:
        """What the launcher itself said; the command must have run with its arguments as given."""
        process = self.start()
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (0, "ran check two words\n"), err
        return err

    @property
    def installations(self) -> int:
        return self.calls.read_text().count("--no-deps")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_it_installs_the_first_time_and_is_quiet_from_then_on(tree: Tree) -> None:
    assert "installing" in tree.run()
    assert tree.run() == ""
    assert tree.installations == 1


@pytest.mark.parametrize("name", ["constraints.txt", "pyproject.toml"])
def test_it_installs_again_when_what_is_wanted_changed(tree: Tree, name: str) -> None:
    tree.run()
    with (tree.root / name).open("a") as file:
        file.write("\n# changed\n")
    tree.run()
    assert tree.installations == 2


def test_two_at_once_install_once(tree: Tree) -> None:
    both = [tree.start(), tree.start()]
    assert [process.wait(60) for process in both] == [0, 0]
    for process in both:
        process.communicate()
    assert tree.installations == 1


def test_a_moved_clone_gets_a_new_venv(tree: Tree) -> None:
    tree.run()
    tree.root = tree.root.rename(tree.root.with_name("moved"))
    tree.run()
    assert tree.calls.read_text().count("venv --quiet") == 2


def test_without_a_new_enough_python_it_says_what_to_install(tree: Tree, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("bash", "dirname", "cmp", "cat"):
        (bare / name).symlink_to(shutil.which(name) or name)
    tree.env["PATH"] = str(bare)
    process = tree.start()
    assert "Python 3.11 or newer" in process.communicate(timeout=60)[1]
    assert process.returncode == 1
