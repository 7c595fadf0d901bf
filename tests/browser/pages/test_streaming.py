"""Ursula reads what the assistant says while the action after it still runs."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.chats import answer, lines, write
from tests.support.browser.house import House
from tests.support.browser.windows import VISITOR, Windows
from tests.support.journeys.errands import FIRST, LAST, PUBLISH, Errands

pytestmark = pytest.mark.browser

ASKED = "run an errand"


@pytest.fixture(scope="module")
def errands(tmp_path_factory: pytest.TempPathFactory) -> Errands:
    return Errands(tmp_path_factory.mktemp("held") / "errands")


@pytest.fixture(scope="module")
def errand_house(errands: Errands, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house whose actions wait until the test lets them go."""
    house = House(tmp_path_factory.mktemp("errands"))
    house.server = errands.server(house.server.data)
    house.open()
    house.server.shell(PUBLISH)
    yield house
    house.server.kill()


@pytest.fixture
def window(browser: Browser, errand_house: House) -> Iterator[Windows]:
    windows = Windows(browser, errand_house)
    yield windows
    windows.close()
    assert windows.complaints == []


def conversation_of(chat: Page) -> str:
    return chat.locator("#chat").get_attribute("data-conversation") or ""


def test_ursula_reads_the_first_line_while_the_action_runs(window: Windows, errands: Errands):
    ursula = window(VISITOR, "/chat/errand/")
    write(ursula, ASKED)

    expect(answer(ursula, FIRST)).to_be_visible()
    expect(ursula.get_by_label("An answer is being written")).to_be_visible()
    assert errands.is_held(conversation_of(ursula))
    expect(answer(ursula, LAST)).to_have_count(0)

    errands.let_go(conversation_of(ursula))
    expect(answer(ursula, LAST)).to_be_visible()
    expect(lines(ursula)).to_have_text([ASKED, FIRST, LAST])
    ursula.reload()
    expect(lines(ursula)).to_have_text([ASKED, FIRST, LAST])


def test_a_page_that_is_opened_while_the_action_runs_has_the_line_and_gets_the_rest(window: Windows, errands: Errands):
    ursula = window(VISITOR, "/chat/errand/")
    write(ursula, ASKED)
    expect(answer(ursula, FIRST)).to_be_visible()
    conversation = conversation_of(ursula)

    ursula.reload()
    expect(lines(ursula)).to_have_text([ASKED, FIRST])
    errands.let_go(conversation)

    expect(lines(ursula)).to_have_text([ASKED, FIRST, LAST])


def test_sofia_sees_in_the_console_that_the_conversation_is_at_work(window: Windows, errands: Errands):
    ursula = window(VISITOR, "/chat/errand/")
    write(ursula, ASKED)
    expect(answer(ursula, FIRST)).to_be_visible()
    conversation = conversation_of(ursula)

    sofia = window("sofia", f"/conversations/{conversation}/")
    expect(sofia.locator("[data-state-chip]")).to_have_text("running")
    expect(sofia.get_by_role("log").get_by_text(FIRST)).to_be_visible()
    errands.let_go(conversation)

    expect(sofia.get_by_role("log").get_by_text(LAST)).to_be_visible()
    sofia.reload()
    expect(sofia.locator("[data-state-chip]")).to_have_text("Finished")
