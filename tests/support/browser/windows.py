"""Browser windows of people, and what the browser complained of while they were open."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Locator, Page

from tests.support.browser.house import House

VISITOR = ""
"""Somebody without an account."""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1440, "height": 900}}
NARROW = {"viewport": {"width": 390, "height": 844}}
"""As narrow as a phone, with a keyboard and no finger."""
WIDE_AND_NARROW = [pytest.param(DESKTOP, id="desk"), pytest.param(NARROW, id="390")]

PATIENCE = 60_000
"""Milliseconds that a busy machine may need for what a page should show at once."""
REFUSALS = re.compile(r"the server responded with a status of (409|410|422)")
"""Answers that the page shows where they belong; the browser writes them down as errors."""


class Windows:
    """Opens windows: `window("olga", "/gates/")` is a browser of Olga's own, with nothing kept from other windows."""

    def __init__(self, browser: Browser, house: House) -> None:
        self.complaints: list[str] = []
        self._browser = browser
        self._house = house
        self._contexts: list[BrowserContext] = []
        self._known = [REFUSALS]

    def __call__(self, who: str, path: str, ready: Any = None, **options: Any) -> Page:
        """`ready` is called with the page before it opens anything."""
        context = self._browser.new_context(**{"locale": "en-GB", **DESKTOP, **options})
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        if who:
            cookie = {"name": "soni_session", "value": self._house.cookies[who], "url": self._house.url}
            context.add_cookies([cookie])  # type: ignore[list-item]
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", self._hear_error)
        if ready:
            ready(page)
        page.goto(self._house.url + path)
        return page

    def expect(self, complaint: str) -> None:
        """From now on the browser may complain of this (a pattern)."""
        self._known.append(re.compile(complaint))

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(known.search(message.text) for known in self._known):
            self.complaints.append(f"{message.text} ({message.location.get('url', '')})")

    def _hear_error(self, error: Error) -> None:
        self.complaints.append(f"{error.message}\n{error.stack}")


def keep_no_drafts(page: Page) -> None:
    """For `ready`: what is typed into documents in this window is not stored, so that no other test finds it."""
    page.route(re.compile("/draft$"), lambda route: route.fulfill(json={}))


def to_next_page(page: Page, words: str) -> bool:
    """Go where the link with these words leads, and wait until the page is loaded; whether there was one."""
    link = page.get_by_role("link", name=words, exact=True)
    if not link.count():
        return False
    page.goto(link.evaluate("link => link.href"))
    return True


def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until the next key goes there."""
    for _ in range(80):
        if wanted.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to {wanted}")
