"""The content security policy, as a browser applies it."""

import pytest
from playwright.sync_api import ConsoleMessage, Page
from pytest_django.live_server_helper import LiveServer

pytestmark = pytest.mark.browser


@pytest.fixture
def refusals(page: Page) -> list[str]:
    """What the browser says it refused, as it comes."""
    heard: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            heard.append(message.text)

    page.on("console", hear)
    return heard


def test_the_administration_is_styled_and_nothing_in_it_is_refused(
    live_server: LiveServer, page: Page, refusals: list[str]
):
    page.goto(f"{live_server.url}/admin/login/")

    assert page.locator(".answer-side").evaluate("form => getComputedStyle(form).display") == "grid"
    assert refusals == []


def test_a_script_that_somebody_wrote_into_a_page_does_not_run(live_server: LiveServer, page: Page):
    page.goto(f"{live_server.url}/admin/login/")

    with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        page.evaluate("document.body.innerHTML = '<img src=missing: onerror=\"document.title = `stolen`\">'")

    assert page.title() != "stolen"
