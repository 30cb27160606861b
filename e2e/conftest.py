"""A whole Godwit and a real browser for the journeys.

The browser lives as long as one module: while Playwright runs, its loop runs in this thread,
and tests of other folders bring their own.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from app.cli.chromium import chromium_path
from e2e.pages.visitor import Visitor
from e2e.running import Godwit
from e2e.watching import Watch

#: As root there is no sandbox; on a closed network nothing is to be asked of anybody.
ARGUMENTS = [
    *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
]
STEP_MS = 15_000
# A machine that runs all tests at once is slow; what is waited for is a condition all the same.
expect.set_options(timeout=2 * STEP_MS)


@pytest.fixture(scope="session")
def godwit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Godwit]:
    """One for all journeys of this process; each makes an account of its own in it."""
    started = Godwit(tmp_path_factory.mktemp("godwit"))
    yield started
    started.stop()


@pytest.fixture
def empty_godwit(tmp_path: Path) -> Iterator[Godwit]:
    """One in which nobody lives yet."""
    started = Godwit(tmp_path)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """The driver."""
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A real Chromium."""
    path = chromium_path()
    if path is None:
        pytest.skip("there is no browser: install chromium, or set CHROMIUM")
    launched = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
    yield launched
    launched.close()


@pytest.fixture
def visit(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Visitor]]:
    """Somebody with a browser of their own. What went wrong in it unseen fails the journey at its end."""
    visitors: list[Visitor] = []

    def come(godwit: Godwit, *, scripted: bool = True, **how: Any) -> Visitor:
        context = browser.new_context(
            java_script_enabled=scripted, viewport={"width": 1280, "height": 900}, locale="en-GB", **how
        )
        context.set_default_timeout(STEP_MS)
        visitors.append(Visitor(context.new_page(), godwit, Watch(context, scripted), scripted))
        return visitors[-1]

    yield come
    problems: list[str] = []
    for visitor in visitors:
        problems += visitor.watch.problems
        visitor.page.context.close()
    assert not problems, "in the browser:\n" + "\n".join(problems)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """A failed journey shows the end of Godwit's own words."""
    report = yield
    if report.failed:
        known = getattr(item, "funcargs", {})
        for started in (known.get("godwit"), known.get("empty_godwit")):
            if isinstance(started, Godwit):
                report.sections.append(("godwit up", started.words()))
    return report
