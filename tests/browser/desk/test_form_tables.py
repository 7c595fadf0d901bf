"""A gate with records, a file, and a form with a table: by keyboard, on a desk and on a phone's width."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk.test_answer_page import ASK
from tests.browser.pages.test_phone import too_wide
from tests.support.browser.chats import answer, write
from tests.support.browser.held import HeldRequests
from tests.support.browser.house import House
from tests.support.browser.windows import DESKTOP, VISITOR, WIDE_AND_NARROW, Windows, tab_to
from tests.support.processes.server import wait_for

pytestmark = pytest.mark.browser

ASSISTANT = """\
version: 1
assistant: returns
title: {en: Returns, es: Devoluciones}
records:
  item: {fields: {name: text, price: {type: money, currency: EUR}, state: {type: choice, options: [new, used]}}, label: "{name}"}
slots:
  items: {type: list, items: item, default: [{name: A long boot for the winter, price: "129.90", state: new}, {name: lamp, price: "20", state: used}]}
"""  # noqa: E501
FLOW = """\
flow: send_back
title: send something back
description: Sends items back.
examples: [send something back]
slots: {bill: {type: file, kinds: [pdf], prompt: Please send the bill.}}
steps:
  - {step: ask, type: collect, slot: bill}
  - step: look
    type: human
    title: Look at these items
    message: A colleague looks at it.
    show: [items, bill]
    form:
      kept: {type: list, items: item, required: false}
      receipt: {type: file, kinds: [pdf], required: false}
    actions: [{id: accept, style: primary}, {id: refuse}]
    timeout: 1h
    on_timeout: refuse
    next: {accept: done, refuse: done}
  - {step: done, type: say, message: "Decided. Kept: {look.kept}.", next: end}
"""


@pytest.fixture(scope="module", autouse=True)
def returns(house: House, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The assistant is published."""
    folder: Path = tmp_path_factory.mktemp("returns")
    (folder / "assistant.yaml").write_text(ASSISTANT)
    (folder / "send_back.yaml").write_text(FLOW)
    house.server.manage("load_flows", str(folder), "--publish")


def asked(window: Windows, house: House) -> tuple[Page, str]:
    """The chat of a customer whose gate is open, and the gate's name."""
    chat = window(VISITOR, "/chat/returns/")
    write(chat, "send something back")
    expect(answer(chat, "Please send the bill.")).to_be_visible()
    bill = {"name": "bill.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7\n" + b"x" * 90}
    chat.locator("#files").set_input_files(bill)  # type: ignore[arg-type]
    expect(answer(chat, "A colleague looks at it.")).to_be_visible()
    conversation = chat.locator("#chat").get_attribute("data-conversation")
    gates = house.server.shell(
        f"from dialogue.models import HITLSession\n"
        f"print(HITLSession.objects.get(conversation={conversation!r}, audience='staff').name)"
    )
    return chat, re.findall(r"g\d+", str(gates))[-1]


def fill_by_keyboard(page: Page) -> None:
    """Type two rows, of which the first is removed again."""
    tab_to(page, page.get_by_label("Kept 1: name"))
    page.keyboard.type("boot")
    tab_to(page, page.get_by_role("button", name="Add a row"))
    page.keyboard.press("Enter")
    expect(page.get_by_label("Kept 2: name")).to_be_visible()
    tab_to(page, page.get_by_label("Kept 2: name"))
    page.keyboard.type("lamp")
    page.keyboard.press("Tab")
    page.keyboard.type("20")
    page.get_by_label("Kept 2: state").select_option("used")
    page.get_by_role("button", name="Remove row 1").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Kept 1: name")).to_have_value("lamp")
    expect(page.get_by_label("Kept 1: state")).to_have_value("used")


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_an_operator_fills_a_table_by_keyboard_and_fetches_the_file(
    window: Windows, house: House, size: dict[str, Any], tmp_path: Path
):
    chat, gate = asked(window, house)
    olga = window("olga", f"/gates/{gate}/", **size)

    expect(olga.get_by_role("cell", name="A long boot for the winter")).to_be_visible()
    with olga.expect_download() as download:
        olga.locator("#card").get_by_role("link", name="bill.pdf").click()
    assert download.value.suggested_filename == "bill.pdf"
    fill_by_keyboard(olga)
    receipt = tmp_path / "receipt.pdf"
    receipt.write_bytes(b"%PDF-1.7\n" + b"y" * 90)
    olga.locator("input[type=file]").set_input_files(str(receipt))
    assert too_wide(olga) <= 0
    olga.get_by_role("button", name="Accept").click()

    expect(answer(chat, "Decided. Kept: lamp.")).to_be_visible()


def test_rows_that_were_typed_are_there_when_the_gate_is_opened_before_they_are_stored(window: Windows, house: House):
    _chat, gate = asked(window, house)
    olga = window("olga", f"/gates/{gate}/", **DESKTOP)
    drafts = HeldRequests(olga, "**/draft/")
    fill_by_keyboard(olga)
    olga.get_by_role("button", name="Add a row").click()
    olga.get_by_label("Kept 2: name").fill("chair")

    olga.get_by_label("Kept 2: name").press("Escape")  # out of the field
    olga.keyboard.press("Escape")
    expect(olga.get_by_text("Choose a gate")).to_be_visible()
    olga.locator(f"#row-{gate} a").click()

    expect(olga.get_by_label("Kept 2: name")).to_have_value("chair")
    expect(olga.get_by_label("Kept 1: state")).to_have_value("used")
    assert drafts.waiting == 1


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_an_approver_fills_a_table_without_a_script(window: Windows, house: House, size: dict[str, Any]):
    chat, gate = asked(window, house)
    house.server.shell(ASK.format(number=gate.removeprefix("g")))

    def path_in_mail() -> str:
        mails = [mail.read_text() for mail in (house.server.data / "mail").glob("*")]
        letter = next((mail for mail in mails if f"Reference: {gate}\n" in mail), "")
        found = re.search(r"/answer/[\w-]{43}/", letter)
        return found.group(0) if found else ""

    daniel = window(VISITOR, str(wait_for(path_in_mail)), java_script_enabled=False, **size)

    fill_by_keyboard(daniel)
    assert too_wide(daniel) <= 0
    daniel.get_by_role("radio", name=re.compile("^Accept")).check()
    daniel.get_by_role("button", name="Send my answer").click()

    expect(daniel.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(answer(chat, "Decided. Kept: lamp.")).to_be_visible()
