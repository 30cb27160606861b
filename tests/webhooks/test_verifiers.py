"""The verifiers on the page for receivers, run as they stand there, beside the standardwebhooks library."""

import importlib.util
import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import playwright
import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from app.webhooks.example import example
from tests.architecture.reading import ROOT

FOLDER = ROOT / "static" / "receivers"
SECRET, OTHER = "whsec_" + "b3Ro" * 8, "whsec_" + "Z29k" * 8
BODY = (
    '{"type":"import.finished","data":{"t":"Zoë 😊 <b> \u2028 \\u0007 \\"%s\\" $(id)\\n"},"sequence":12} \n'
)
#: The one that drives the browser of the tests: there wherever they run.
NODE = str(Path(playwright.__file__).parent / "driver" / "node")
_PROGRAM = """
import { readFileSync } from "node:fs";
import { verify } from %s;
const { secret, headers } = JSON.parse(process.argv[1]);
const body = readFileSync(0);
const given = body.buffer.slice(body.byteOffset, body.byteOffset + body.byteLength);
console.log(await verify(secret, new Headers(headers), given) ? "yes" : "no");
"""
Verify = Callable[[str, dict[str, str], bytes], bool]


def signed(body: str = BODY, *secrets: str, at: datetime | None = None) -> dict[str, str]:
    """The headers of a delivery, signed by the library for each secret."""
    at = at or datetime.now(UTC)
    signatures = [Webhook(secret).sign("evt_1", at, body) for secret in secrets or (SECRET,)]
    return {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def in_python(secret: str, headers: dict[str, str], body: bytes) -> bool:
    spec = importlib.util.spec_from_file_location("verify_of_the_page", FOLDER / "verify.py")
    assert spec
    assert spec.loader
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.verify(secret, headers, body)


def in_javascript(secret: str, headers: dict[str, str], body: bytes) -> bool:
    program = _PROGRAM % json.dumps((FOLDER / "verify.mjs").as_uri())
    told = json.dumps({"secret": secret, "headers": headers})
    return _said([NODE, "--input-type=module", "-e", program, told], body)


def in_shell(secret: str, headers: dict[str, str], body: bytes) -> bool:
    given = [headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature")]
    return _said(["sh", str(FOLDER / "verify.sh"), *given], body, SECRET=secret)


def _said(command: list[str], body: bytes, **environment: str) -> bool:
    told = {"PATH": "/usr/local/bin:/usr/bin:/bin", **environment}
    done = subprocess.run(command, input=body, capture_output=True, env=told, timeout=30, check=False)
    assert done.stderr == b"", done.stderr.decode()
    return {b"yes\n": True, b"no\n": False}[done.stdout]


def by_the_library(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """What all of them are held against."""
    try:
        Webhook(secret).verify(body, headers, json_parse=False)
    except WebhookVerificationError:
        return False
    return True


LANGUAGES: dict[str, Verify] = {
    "library": by_the_library,
    "python": in_python,
    "javascript": in_javascript,
    "shell": in_shell,
}


@pytest.fixture(params=LANGUAGES)
def verify(request: pytest.FixtureRequest) -> Verify:
    """One of them."""
    return LANGUAGES[request.param]


def test_what_was_signed_is_taken(verify: Verify) -> None:
    """W4: with emoji, U+2028, escapes, quotes and a line's end as its last byte; by either of two secrets."""
    assert verify(SECRET, signed(), BODY.encode())
    both = signed(BODY, OTHER, SECRET)
    assert verify(SECRET, both, BODY.encode())
    assert verify(OTHER, both, BODY.encode())


def test_what_was_changed_is_not(verify: Verify) -> None:
    """A byte of the body, the id, the time, the secret, or a signature cut short."""
    headers = signed()
    body = BODY.encode()
    assert not verify(SECRET, headers, body + b" ")
    assert not verify(SECRET, headers | {"webhook-id": "evt_2"}, body)
    later = str(int(headers["webhook-timestamp"]) + 1)
    assert not verify(SECRET, headers | {"webhook-timestamp": later}, body)
    assert not verify(OTHER, headers, body)
    assert not verify(SECRET, headers | {"webhook-signature": headers["webhook-signature"][:-4]}, body)


@pytest.mark.parametrize("away", [timedelta(minutes=-6), timedelta(minutes=6)], ids=["old", "of-tomorrow"])
def test_what_is_not_of_now_is_not(verify: Verify, away: timedelta) -> None:
    assert not verify(SECRET, signed(at=datetime.now(UTC) + away), BODY.encode())


@pytest.mark.parametrize("language", ["python", "javascript", "shell"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"webhook-id": "evt_1", "webhook-timestamp": "a[$(id)]", "webhook-signature": "v1,x"},
        {"webhook-id": "evt_1", "webhook-timestamp": "-1", "webhook-signature": "v1,x"},
        {"webhook-id": "evt_1", "webhook-timestamp": "1" * 5000, "webhook-signature": "v1,x"},
        {"webhook-id": "evt_1", "webhook-timestamp": "NOW", "webhook-signature": "v1,"},
        {"webhook-id": "evt_1", "webhook-timestamp": "NOW", "webhook-signature": "v1 v2,?? *"},
    ],
    ids=["none", "a-command", "negative", "endless", "empty", "garbage"],
)
def test_garbage_is_refused_and_breaks_nothing(language: str, headers: dict[str, str]) -> None:
    now = str(int(datetime.now(UTC).timestamp()))
    given = {name: value.replace("NOW", now) for name, value in headers.items()}
    assert not LANGUAGES[language](SECRET, given, BODY.encode())


def test_the_example_on_the_page_fits_its_secret() -> None:
    """By the library's own arithmetic: its age is left aside."""
    shown = example()
    at = datetime.fromtimestamp(shown.timestamp, UTC)
    assert Webhook(shown.secret).sign(shown.id, at, shown.body) == shown.signature
    told = json.loads(shown.body)
    happened = datetime.fromisoformat(told["timestamp"])
    assert timedelta() < at - happened < timedelta(seconds=2)
    assert told["sequence"] == shown.sequence
