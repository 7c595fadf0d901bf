"""Lists, tables, links and images in the chat and in the transcript, on a desk and on a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages.test_phone import too_wide
from tests.support.browser.chats import write
from tests.support.browser.house import House
from tests.support.browser.windows import DESKTOP, PHONE, VISITOR, Windows

pytestmark = pytest.mark.browser

ASSISTANT = """\
version: 1
assistant: shop
title: Shop
records:
  order: {fields: {order_id: text, day: date, status: text, total: {type: money, currency: EUR}, sent_to: text}}
slots:
  orders:
    type: list
    items: order
    default:
%s
"""
ROW = "    - {order_id: '#W%d', day: 2026-11-%02d, status: delivered, total: 1250.50, sent_to: 12 Pine St in Denver}\n"
FLOW = """\
flow: orders
title: my orders
description: Lists orders.
examples: [show my orders]
steps:
  - {step: list, type: say, message: "Your orders:", each: orders, line: "{item.order_id}: {item.total}", limit: 3}
  - step: table
    type: say
    message: "<i>Everything</i> about them:"
    table:
      from: orders
      columns: {Order: order_id, Day: day, Status: status, Total: total, Sent to: sent_to}
      limit: 4
    links: [{label: All orders, url: "https://shop.example/orders"}]
    image: {url: images/logo.png, alt: The logo of the shop}
"""
PIXEL = "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"  # noqa: E501
SIZES = [pytest.param(DESKTOP, id="desk"), pytest.param(PHONE, id="390")]


@pytest.fixture(scope="module", autouse=True)
def shop(house: House, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop is published, with an image."""
    folder: Path = tmp_path_factory.mktemp("shop")
    rows = "".join(ROW % (number, number) for number in range(1, 17))
    (folder / "assistant.yaml").write_text(ASSISTANT % rows)
    (folder / "orders.yaml").write_text(FLOW)
    (folder / "images").mkdir()
    (folder / "images" / "logo.png").write_bytes(bytes.fromhex(PIXEL))
    house.server.manage("load_flows", str(folder), "--publish")
    return folder


def orders_of(chat: Page) -> None:
    write(chat, "show my orders")
    expect(chat.get_by_role("link", name="All orders")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_a_list_a_table_a_link_and_an_image_fit_the_page(window: Windows, size: dict[str, object]):
    chat = window(VISITOR, "/chat/shop/", **size)

    orders_of(chat)

    expect(chat.locator(".parts li")).to_have_count(3)
    expect(chat.locator(".parts .more").first).to_have_text("and 13 more")
    expect(chat.get_by_role("cell", name="#W4")).to_be_visible()
    expect(chat.get_by_text("<i>Everything</i> about them:")).to_be_visible()
    link, image = chat.get_by_role("link", name="All orders"), chat.get_by_role("img", name="The logo of the shop")
    assert (link.get_attribute("rel"), link.get_attribute("target")) == ("noopener noreferrer", "_blank")
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1
    assert too_wide(chat) <= 0


@pytest.mark.parametrize("size", SIZES)
def test_the_page_shows_the_same_after_it_is_loaded_again(window: Windows, size: dict[str, object]):
    chat = window(VISITOR, "/chat/shop/", **size)
    orders_of(chat)
    before = chat.locator("[data-log] .parts").all_inner_texts()

    chat.reload()

    expect(chat.get_by_role("link", name="All orders")).to_be_visible()
    assert chat.locator("[data-log] .parts").all_inner_texts() == before
    assert too_wide(chat) <= 0


@pytest.mark.parametrize("size", SIZES)
def test_staff_see_the_table_in_the_conversation(window: Windows, size: dict[str, object]):
    chat = window(VISITOR, "/chat/shop/", **size)
    orders_of(chat)
    conversation = chat.locator("#chat").get_attribute("data-conversation")

    page = window("sofia", f"/conversations/{conversation}/", **size)

    expect(page.get_by_role("cell", name="#W4")).to_be_attached()
    expect(page.locator(".parts li")).to_have_count(3)
    assert too_wide(page) <= 0
