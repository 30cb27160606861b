"""The browser for the journeys: where it is, and how it is fetched when there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from app.cli.environment import given, inherited

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PLAYWRIGHTS = (
    "from playwright.sync_api import sync_playwright\n"
    "with sync_playwright() as playwright: print(playwright.chromium.executable_path)"
)


def chromium_path(*, fetch: bool = False) -> Path | None:
    """$CHROMIUM, the system's, Playwright's; with `fetch` by apt (as root), then by Playwright; else None."""
    found = _present()
    if found or not fetch:
        return found
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        apt = inherited(DEBIAN_FRONTEND="noninteractive")
        _say("installing chromium with apt-get (journeys need a browser) …")
        subprocess.run(["apt-get", "update", "-qq"], env=apt, stdout=subprocess.DEVNULL, check=False)
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
        subprocess.run(install, env=apt, stdout=subprocess.DEVNULL, check=False)
        if found := _present():
            return found
    _say("installing chromium with Playwright (journeys need a browser) …")
    subprocess.run(
        [sys.executable, "-m", "playwright", "install", "chromium"], stdout=subprocess.DEVNULL, check=False
    )
    return _present()


def _present() -> Path | None:
    if chosen := given("CHROMIUM"):
        return Path(chosen)
    for name in _NAMES:
        if found := shutil.which(name):
            return Path(found)
    asked = subprocess.run(
        [sys.executable, "-c", _PLAYWRIGHTS], capture_output=True, text=True, timeout=60, check=False
    )
    place = Path(asked.stdout.strip() or "-")
    return place if place.is_file() else None


def _say(line: str) -> None:
    print(f"godwit: {line}", file=sys.stderr, flush=True)
