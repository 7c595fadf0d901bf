"""What a customer does in the chat."""

from playwright.sync_api import Locator, Page, expect

from tests.support.browser.house import ACCOUNT, House, token_of


def write(chat: Page, text: str) -> None:
    chat.get_by_label("Message", exact=True).fill(text)
    chat.get_by_label("Message", exact=True).press("Enter")


def lines(chat: Page) -> Locator:
    """Every line of the transcript, without the names and times under them."""
    return chat.locator("[data-log] .turn > p")


def answer(chat: Page, text: str) -> Locator:
    """The line of the assistant's with this text."""
    return chat.locator("[data-log] .turn:not(.by-reader) > p", has_text=text)


def ask_for_transfer(chat: Page, beneficiary: str = "Lindqvist Marine") -> None:
    """Up to the answer that a colleague looks at it."""
    write(chat, f"send 6000 to {beneficiary}, {ACCOUNT}")
    expect(answer(chat, f"€6,000.00 to {beneficiary}")).to_be_visible()
    chat.get_by_role("button", name="Yes", exact=True).click()
    expect(answer(chat, "a colleague has to approve this")).to_be_visible()


def hand_over(chat: Page, house: House) -> str:
    """Ask for a person; the name of the session that waits for one."""
    write(chat, "I want to talk to a person")
    expect(answer(chat, "A colleague will go on with you here.").last).to_be_visible()
    conversation = chat.locator("#chat").get_attribute("data-conversation")
    pending = house.server.get(f"/api/v1/conversations/{conversation}", token_of("sofia")).body["pending"]
    [session] = [each["session"] for each in pending if each["kind"] == "handoff"]
    return str(session)
