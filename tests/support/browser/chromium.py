"""The Chromium of the tests: one for each process, for every folder whose tests ask for `browser`."""

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SWITCHES = [
    "--no-sandbox",  # Chromium refuses its sandbox to root, and containers run as root
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def chromium_here() -> str | None:
    """Debian's Chromium; where it is there, the one without windows, for which a page is four times less work."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """One browser for all tests; `browser.new_context(…)` is one person's, with a window and cookies of their own."""
    from playwright.sync_api import expect, sync_playwright  # unit tests load this plugin too

    from tests.support.browser.windows import PATIENCE

    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright leaves its event loop running in this thread, where Django would then refuse the database.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        expect.set_options(timeout=PATIENCE)
        chromium = playwright.chromium.launch(executable_path=chromium_here(), args=SWITCHES)
        yield chromium
        chromium.close()
