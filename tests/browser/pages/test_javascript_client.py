"""The JavaScript client in a page of another origin, whose policy allows it only its own modules and our address."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser.house import ACCOUNT, House, token_of
from tests.support.browser.site import Site, open_site

pytestmark = pytest.mark.browser

CLIENT = Path(__file__).parents[3] / "clients" / "javascript" / "soni-client.js"
ALLOW = """
from django.contrib.auth.models import User
from dialogue.desk.access.allowed_origins import allow_origin
from dialogue.models import Assistant
allow_origin(Assistant.objects.get(name="bank"), "{origin}", User.objects.get(username="ada"))
"""
TRANSFER = """
async ([service, text]) => {
  const { Client } = await import("/soni-client.js");
  const client = new Client(service, "", { retrySeconds: 0 });
  const chat = await client.conversations.begin("bank", { language: "en" });
  const asked = await chat.send(text);
  const button = asked.messages.at(-1).buttons[0];
  const answered = await client.conversations.resume(chat.id, chat.token).choose(button.value);
  const followed = [];
  for await (const event of chat.events(1)) {
    if (event.kind === "message") followed.push(event.data.text);
    if (followed.includes(answered.messages.at(-1).text)) break;
  }
  return {
    pending: (await chat.state()).pending,
    roles: (await chat.history()).map(line => line.role),
    followed,
  };
}
"""
ATTEMPT = """
async ([service, token]) => {
  const { Client } = await import("/soni-client.js");
  const client = new Client(service, token, { retrySeconds: 0 });
  const call = token ? client.sessions.list().next() : client.conversations.begin("bank");
  return call.then(() => "answered", error => `${error.name}: ${error.message}`);
}
"""


@pytest.fixture(scope="module")
def shop(house: House) -> Iterator[Site]:
    """A site that the bank allows, with the client among its own modules."""
    with open_site(house.url) as site:
        prepare(site)
        house.server.shell(ALLOW.format(origin=site.url))
        yield site


def prepare(site: Site) -> None:
    site.modules = {"/soni-client.js": CLIENT.read_text()}
    site.extra_policy = f"; connect-src {site.service}"


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """A page of somebody without anything of the console's. What the browser says of refused calls is expected."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def called(page: Page, site: Site, script: str, word: str) -> Any:
    page.goto(f"{site.url}/")
    return page.evaluate(script, [site.service, word])


def test_it_chats_presses_a_button_and_follows_from_an_allowed_page(visitor: Page, shop: Site):
    told = called(visitor, shop, TRANSFER, f"send 6000 to Lindqvist Marine, {ACCOUNT}")

    assert [(wait["kind"], wait["audience"]) for wait in told["pending"]] == [("human", "staff")]
    assert told["roles"][:2] == ["user", "assistant"]
    assert any("a colleague has to approve this" in text for text in told["followed"])
    assert visitor.context.cookies() == []


def test_a_page_of_another_origin_is_refused(visitor: Page, shop: Site):
    with open_site(shop.service) as stranger:
        prepare(stranger)

        assert called(visitor, stranger, ATTEMPT, "").startswith("Unreachable: TypeError: Failed to fetch")
    assert called(visitor, shop, ATTEMPT, "") == "answered"


def test_gates_are_closed_to_pages_of_other_origins_with_any_token(visitor: Page, shop: Site):
    answer = called(visitor, shop, ATTEMPT, token_of("olga"))

    assert answer.startswith("Unreachable: TypeError: Failed to fetch")
