"""A customer sends a file in the chat, staff see and answer it, on a desk and on a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.pages.test_phone import too_wide
from tests.support.browser.chats import answer, write
from tests.support.browser.house import House
from tests.support.browser.windows import DESKTOP, PHONE, VISITOR, Windows

pytestmark = pytest.mark.browser

CLAIM = """\
flow: claim
title: a claim
description: Hands in a bill.
examples: [hand in a bill]
slots: {bill: {type: file, kinds: [pdf], prompt: Please send the bill.}}
steps:
  - {step: ask, type: collect, slot: bill}
  - {step: done, type: say, message: "Thank you for {bill}."}
"""
SIZES = [pytest.param(DESKTOP, id="desk"), pytest.param(PHONE, id="390")]


@pytest.fixture(scope="module", autouse=True)
def claims(house: House, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The assistant is published."""
    folder: Path = tmp_path_factory.mktemp("claims")
    (folder / "assistant.yaml").write_text("version: 1\nassistant: claims\ntitle: Claims\n")
    (folder / "claim.yaml").write_text(CLAIM)
    house.server.manage("load_flows", str(folder), "--publish")


@pytest.mark.parametrize("size", SIZES)
def test_a_file_is_sent_refused_accepted_and_fetched_again(window: Windows, size: dict[str, object], tmp_path: Path):
    chat = window(VISITOR, "/chat/claims/", **size)
    write(chat, "hand in a bill")
    expect(answer(chat, "Please send the bill.")).to_be_visible()
    window.expect("422")  # the browser tells of every refused request
    wrong, right = tmp_path / "notes.pdf", tmp_path / "bill.pdf"
    wrong.write_text("only words")
    right.write_bytes(b"%PDF-1.7\n" + b"x" * 90)

    chat.locator("#files").set_input_files(str(wrong))
    expect(chat.locator("[data-status]")).to_contain_text("is not a file of an accepted kind")
    expect(chat.locator("[data-log] .mark[data-seq]")).to_contain_text("is not a file of an accepted kind")
    chat.locator("#files").set_input_files(str(right))

    expect(answer(chat, "Thank you for bill.pdf.")).to_be_visible()
    link = chat.get_by_role("link", name="bill.pdf")
    expect(link).to_be_visible()
    with chat.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "bill.pdf"
    assert too_wide(chat) <= 0
