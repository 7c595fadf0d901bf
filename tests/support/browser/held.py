"""Requests of a page that wait until the test lets them go: a slow server, without a clock."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route

from tests.support.browser.windows import PATIENCE

LOOK_MILLISECONDS = 20


class HeldRequests:
    """Holds every request of a page to this address, the oldest first."""

    def __init__(self, page: Page, address: str | re.Pattern[str]) -> None:
        self._page = page
        self._routes: list[Route] = []
        page.route(address, self._hold)

    def _hold(self, route: Route) -> None:
        self._routes.append(route)

    @property
    def waiting(self) -> int:
        """How many requests have come and were not taken."""
        return len(self._routes)

    def take(self) -> Route:
        """Wait for the next request; it is the caller's to continue or to answer."""
        wait_until(self._page, lambda: self._routes, "the page has sent no such request")
        return self._routes.pop(0)

    def let_go(self) -> None:
        """Wait for the next request, and send it on to the server."""
        self.take().continue_()


def wait_until(page: Page, is_there: Callable[[], object], otherwise: str) -> None:
    """Wait until something that the test hears of this page is there; meanwhile Playwright's handlers run."""
    for _ in range(PATIENCE // LOOK_MILLISECONDS):
        if is_there():
            return
        page.wait_for_timeout(LOOK_MILLISECONDS)
    raise AssertionError(otherwise)
