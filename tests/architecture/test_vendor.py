"""Code of others that the browser runs is exactly what its authors published."""

import hashlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = [ROOT / "static/vendor", ROOT / "e2e/vendor"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_vendored_file_has_its_line_and_its_sum(folder: Path) -> None:
    lines = [line.split() for line in (folder / "VENDORED").read_text().splitlines()]
    named = {name: digest for name, _package, _version, digest in lines}
    present = {path.name for path in folder.iterdir()} - {"VENDORED", "LICENSE"}
    assert present == set(named), "a vendored file without a line, or a line without its file"
    for name, digest in named.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, f"{name} was changed"
    assert (folder / "LICENSE").stat().st_size > 100


def test_our_own_scripts_stay_a_handful_of_small_files() -> None:
    scripts = sorted((ROOT / "static/js").glob("*.js"))
    assert len(scripts) <= 7
    for script in scripts:
        assert len(script.read_text().splitlines()) < 60, f"{script.name} grew too long"


def test_the_public_site_needs_one_small_style_sheet() -> None:
    assert (ROOT / "static/css/site.css").stat().st_size < 10_500
