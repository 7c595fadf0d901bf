"""A real Chromium, Debian's, for the tests that look at pages as a person does. Mark them `browser`: they run last.

`house` is the product in a process of its own, one for all tests of a run; `window(who, path)` opens a page in it as
somebody. A test fails when the browser complained of anything while its windows were open: a script that failed, an
answer that was not there, or something that the content security policy refused.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser.house import House
from tests.support.browser.windows import Windows


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page of somebody who has not been here before."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The running product with the demo, shared by all tests that do not end it."""
    house = House(tmp_path_factory.mktemp("house"))
    house.open()
    yield house
    house.server.kill()


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left(house: House) -> Iterator[None]:
    """What the tests of one file leave waiting is not the next gate of another's."""
    yield
    house.clear()


@pytest.fixture
def window(browser: Browser, house: House) -> Iterator[Windows]:
    """Opens pages as people; the browser has to be content with all of them."""
    windows = Windows(browser, house)
    yield windows
    windows.close()
    assert windows.complaints == []
