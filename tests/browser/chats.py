"""What a customer does in the chat."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.house import ACCOUNT


def write(chat: Page, text: str) -> None:
    chat.get_by_label("Message", exact=True).fill(text)
    chat.get_by_label("Message", exact=True).press("Enter")


def lines(chat: Page) -> Locator:
    """Every line of the transcript, without the names and times under them."""
    return chat.locator("[data-log] .turn > p")


def answer(chat: Page, text: str) -> Locator:
    """The line of the assistant's with this text."""
    return chat.locator("[data-log] .turn:not(.me) > p", has_text=text)


def ask_for_transfer(chat: Page, beneficiary: str = "Lindqvist Marine") -> None:
    """Up to the answer that a colleague looks at it."""
    write(chat, f"send 6000 to {beneficiary}, {ACCOUNT}")
    expect(answer(chat, f"€6,000.00 to {beneficiary}")).to_be_visible()
    chat.get_by_role("button", name="Yes", exact=True).click()
    expect(answer(chat, "a colleague has to approve this")).to_be_visible()
