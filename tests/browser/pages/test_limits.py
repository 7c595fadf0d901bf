"""A visitor whose address opened too many chats: told so, with the text kept, and served when the wait is over."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.chats import lines, write
from tests.support.processes.server import Server

pytestmark = pytest.mark.browser
FORGET = "from dialogue.models import TryCounter; TryCounter.objects.all().delete()"


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A console in which each address opens one chat in ten minutes."""
    running = Server(tmp_path_factory.mktemp("limited"), SONI_OPENINGS_PER_ADDRESS="1")
    running.start()
    yield running
    running.kill()


def visitor(browser: Browser, server: Server) -> Page:
    """The chat of somebody who has not been here before; the clock of their page is in our hands."""
    page = browser.new_context(locale="en").new_page()
    page.clock.install()
    page.goto(f"{server.url}/chat/library/")
    return page


def test_who_opens_too_many_chats_is_told_to_wait_and_then_answered(browser: Browser, server: Server):
    first, second = visitor(browser, server), visitor(browser, server)
    write(first, "hello")
    expect(lines(first)).to_have_count(2)

    write(second, "hello")

    expect(second.locator("[data-status]")).to_contain_text(
        "Too much came from here in a short time, and this was not taken. Please wait"
    )
    expect(lines(second)).to_have_text(["hello"])
    server.shell(FORGET)
    second.clock.fast_forward("10:00")
    expect(lines(second)).to_have_count(2)
    for page in (first, second):
        page.context.close()
