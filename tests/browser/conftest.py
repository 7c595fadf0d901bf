"""A real Chromium, Debian's, for the tests that look at pages as a person does. Mark them `browser`: they run last."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

SWITCHES = [
    "--no-sandbox",  # Chromium refuses its sandbox to root, and containers run as root
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests; `browser.new_context(…)` is one person's, with a window and cookies of their own."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright leaves its event loop running in this thread, where Django would then refuse the database.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=SWITCHES)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page of somebody who has not been here before."""
    context = browser.new_context()
    yield context.new_page()
    context.close()
