"""A visitor whose address opened too many chats, or who came to a busy server: told to wait, then served."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.chats import lines, write
from tests.support.database.migrated import NAME, copy_migrated
from tests.support.journeys.banking import PEOPLE, TRANSFER, effects, opened
from tests.support.processes.server import Server, wait_for

pytestmark = pytest.mark.browser
THREADS_OF_ACTIONS = 4
"""So many calls of one action run at a time; the other requests wait for theirs."""
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
    second.clock.fast_forward("13:00")  # up to a quarter longer than told, so that not all come at once
    expect(lines(second)).to_have_count(2)
    for page in (first, second):
        page.context.close()


@pytest.fixture
def busy_bank(tmp_path: Path) -> Iterator[Server]:
    """A bank that takes eight requests at a time, and whose transfers take longer than any test."""
    running = Server(
        tmp_path / "busy",
        SONI_MAX_IN_FLIGHT="8",
        SONI_ACTIONS="tests.support.journeys.slow_bank,dialogue.library.demo.library_actions",
        SLOW_BANK_LEDGER=str(tmp_path / "effects"),
        SLOW_BANK_SECONDS="600",
    )
    running.data.mkdir()
    copy_migrated(running.data / NAME)
    running.start()
    running.shell(PEOPLE)
    yield running
    running.kill()


def test_who_opens_a_chat_while_the_server_is_busy_is_told_to_wait_and_answered_afterwards(
    browser: Browser, busy_bank: Server, tmp_path: Path
):
    chats = [opened(busy_bank) for _ in range(6)]
    page = browser.new_context(locale="en").new_page()
    page.goto(f"{busy_bank.url}/chat/library/")
    with ThreadPoolExecutor(len(chats)) as pool:  # each waits 25 seconds for the answer of its message
        for path, token in chats:
            pool.submit(busy_bank.post, f"{path}/messages", {"id": "m1", "text": TRANSFER}, token)
        wait_for(lambda: len(effects(tmp_path / "effects")) >= THREADS_OF_ACTIONS)
        write(page, "hello")

        expect(page.locator("[data-status]")).to_contain_text("Many people are writing at the moment. Please wait")
        expect(lines(page)).to_have_text(["hello"])

    expect(lines(page)).to_have_count(2, timeout=120_000)
    expect(page.locator("[data-status]")).to_be_hidden()
    page.context.close()
