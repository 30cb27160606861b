"""`godwit export` and `godwit import`: out of one publication and into another (C1, imports X1)."""

import json
import zipfile
from pathlib import Path

import pytest

from app.base.settings import Settings
from app.cli.program import run

TABLE = b"email,name\nanna@example.org,Anna\n"


@pytest.fixture
def two(settings_env: Settings) -> None:
    """Two publications."""
    for slug in ("one", "two"):
        assert (
            run(["account", "create", "--email", f"{slug}@example.org", "--name", slug, "--slug", slug]) == 0
        )


@pytest.mark.usefixtures("two")
def test_out_of_one_and_into_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hook = {"url": "https://a.example/", "description": "", "events": ["*"], "state": "active"}
    assert run(["export", "--account", "one", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    with zipfile.ZipFile(told["file"]) as archive:
        assert "readers.csv" in archive.namelist()
        files = {name: archive.read(name) for name in archive.namelist()}
    assert files["webhooks.jsonl"] == b""
    files["webhooks.jsonl"] = json.dumps(hook | {"created_at": "2026-01-01T00:00:00+00:00"}).encode()
    with zipfile.ZipFile(told["file"], "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    assert run(["import", "--account", "two", "--dry-run", told["file"]]) == 2
    assert "--dry-run cannot be given with an export of Godwit" in capsys.readouterr().err
    assert run(["import", "--account", "two", told["file"]]) == 0
    said = capsys.readouterr().out
    assert "Nobody is mailed" in said
    assert "Webhooks that came along: 1. They are paused, each with a new secret" in said


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(
    ("account", "content", "words"),
    [
        ("none", TABLE, "There is no publication 'none'"),
        ("one", b"who\nnobody\n", "no column with addresses"),
        ("one", b"{}", "holds no posts"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], account: str, content: bytes, words: str
) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    assert run(["import", "--account", account, str(file)]) == 2
    assert words in capsys.readouterr().err
