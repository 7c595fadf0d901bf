"""The parts of a message on their way: stored with the line, masked, delivered, and shown on pages."""

from dataclasses import replace
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from dialogue.engine.actions import StubbedActions
from dialogue.engine.ports.message_parts import plain_text
from dialogue.engine.ports.sinks import BotMessage, DisplayValues
from dialogue.models import Assistant, Conversation, Event, Message
from dialogue.turns.live.redaction import redactor_of
from dialogue.turns.live.serializers import message_view, redacted_view
from dialogue.turns.transcript import TranscriptSink, TurnLines
from dialogue.turns.worker import Ports
from tests.support.transfers import person
from tests.support.turns import begun, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

SHOP = {
    "assistant.yaml": """\
version: 1
assistant: shop
title: Shop
records:
  order: {fields: {order_id: text, iban: {type: text, sensitive: true}, total: {type: money, currency: EUR}}}
slots: {orders: list of order}
actions: {find: {inputs: {}, outputs: {orders: list of order}, effect: none}}
""",
    "orders.yaml": """\
flow: orders
title: my orders
description: Lists orders.
examples: [show my orders]
steps:
  - {step: find, type: action, call: find, outputs: {orders: orders}, on_error: end}
  - step: tell
    type: say
    message: "Your <b>orders</b>:"
    table: {from: orders, columns: {Order: order_id, Account: iban, Total: total}}
    links: [{label: All of them, url: "https://shop.example/orders"}]
    image: {url: images/logo.png, alt: Our logo}
""",
}
SCRIPT = "<script>alert(1)</script>"
ORDERS = [
    {"order_id": SCRIPT, "iban": "DE89370400440532013000", "total": "30"},
    {"order_id": "W2", "iban": "ES9121000418450200051332", "total": "1250.5"},
]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


def shop_actions() -> Ports:
    return Ports(actions=StubbedActions({"find": [{"returns": {"orders": ORDERS}}]}))


@pytest.fixture
def shop() -> Conversation:
    conversation: Conversation = async_to_sync(begun)(SHOP)
    async_to_sync(say)(conversation, "show my orders", shop_actions())
    return conversation


def told(conversation: Conversation) -> Message:
    return Message.objects.get(conversation=conversation, key="say:tell")


def test_a_line_is_stored_with_its_parts_and_the_plain_text_of_them(shop: Conversation):
    line = told(shop)

    assert [part["type"] for part in line.parts] == ["text", "table", "links", "image"]
    assert line.parts[1]["rows"][1] == ["W2", "ES9121000418450200051332", "€1,250.50"]
    assert line.parts[3]["url"] == "/chat/shop/images/logo.png"
    assert line.text == plain_text(line.parts)
    assert message_view(line)["parts"] == line.parts


def test_a_line_of_only_text_has_no_parts_in_the_view(shop: Conversation):
    line = Message.objects.get(conversation=shop, role="user")

    assert "parts" not in message_view(line)


def test_the_api_and_the_stream_deliver_the_parts(shop: Conversation):
    ursula = person("ursula", "Ursula Vale")
    Conversation.objects.filter(pk=shop.pk).update(user=ursula)
    client = Client()
    client.force_login(ursula)

    lines = client.get(f"/api/v1/conversations/{shop.pk}/messages").json()["messages"]

    (line,) = [line for line in lines if line["key"] == "say:tell"]
    assert [part["type"] for part in line["parts"]] == ["text", "table", "links", "image"]
    assert line["text"].startswith("Your <b>orders</b>:\n- Order: <script>")


def test_a_value_is_masked_in_the_parts_as_in_the_text(shop: Conversation):
    view = redacted_view(message_view(told(shop)), lambda text: text.replace("ES9121000418450200051332", "••••"))

    assert view["parts"][1]["rows"][1][1] == "••••" and view["parts"][1]["type"] == "table"
    assert "ES91" not in str(view)


def test_a_sensitive_field_that_an_action_returned_is_masked_for_who_may_not_see_it(shop: Conversation):
    redact = redactor_of(shop)

    view = redacted_view(message_view(told(shop)), redact)

    assert view["parts"][1]["rows"][1] == ["W2", "••••", "€1,250.50"]
    assert "Account: ••••" in view["text"] and "ES91" not in str(view)


def test_pages_show_tables_links_and_images_and_never_markup_of_a_value(shop: Conversation):
    ursula = person("ursula", "Ursula Vale")
    Conversation.objects.filter(pk=shop.pk).update(user=ursula)
    client = Client()
    client.force_login(ursula)

    page = client.get("/chat/shop/").content.decode()

    assert '<th scope="col">Order</th>' in page and "<td>€1,250.50</td>" in page
    assert SCRIPT not in page and "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "Your &lt;b&gt;orders&lt;/b&gt;:" in page
    assert 'href="https://shop.example/orders" target="_blank" rel="noopener noreferrer"' in page
    assert '<img src="/chat/shop/images/logo.png" alt="Our logo" loading="lazy">' in page


def test_a_stored_line_with_an_unsafe_address_shows_no_link(shop: Conversation):
    line = told(shop)
    line.parts[2]["links"][0]["url"] = "javascript:alert(1)"
    line.parts[3]["url"] = "javascript:alert(2)"
    line.save()
    root = person("root", "Rut Berg", is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(root)

    page = client.get(f"/conversations/{shop.pk}/").content.decode()

    assert "Account" in page and "javascript:" not in page


class Shouting:
    """A reply filter that adds words."""

    async def filter_reply(self, message: BotMessage, _values: DisplayValues) -> BotMessage:
        return replace(message, text=f"{message.text} (!)")


def test_a_reply_filter_changes_the_authors_text_and_keeps_the_list():
    lines = TurnLines(Event(basis=None), {})
    sink = TranscriptSink(lines, (Shouting(),))
    parts = ({"type": "text", "text": "Yours:"}, {"type": "list", "items": ["a"], "total": 1, "more": ""})
    only_list = BotMessage("say:b", "- a", parts=parts[1:])

    async_to_sync(sink.send)(BotMessage("say:a", "Yours:\n- a", parts=parts), tuple)
    async_to_sync(sink.send)(only_list, tuple)
    async_to_sync(sink.send)(BotMessage("say:c", "Hello"), tuple)

    assert [line.text for line in lines.messages] == ["Yours: (!)\n- a", "- a", "Hello (!)"]
    assert lines.messages[0].parts == ({"type": "text", "text": "Yours: (!)"}, parts[1])


def write_shop(folder: Path, *, image: bytes = PNG, name: str = "logo.png") -> Path:
    (folder / "images").mkdir(exist_ok=True)
    (folder / "images" / name).write_bytes(image)
    (folder / "assistant.yaml").write_text("version: 1\nassistant: shop\ntitle: Shop\n")
    step = "{step: map, type: say, message: Here, image: {url: images/logo.png, alt: Our logo}}"
    (folder / "map.yaml").write_text(f"flow: map\ntitle: a map\ndescription: Shows it.\nsteps: [{step}]\n")
    return folder


def test_images_of_the_folder_are_loaded_served_and_written_again(tmp_path: Path):
    call_command("load_flows", str(write_shop(tmp_path)), publish=True)

    answer = Client().get("/chat/shop/images/logo.png")
    call_command("dump_flows", "shop", str(tmp_path / "again"))

    assert (answer.status_code, answer.content, answer["Content-Type"]) == (200, PNG, "image/png")
    assert answer["X-Content-Type-Options"] == "nosniff" and "sandbox" in answer["Content-Security-Policy"]
    assert (tmp_path / "again" / "images" / "logo.png").read_bytes() == PNG
    assert Client().get("/chat/shop/images/other.png").status_code == 404

    (tmp_path / "images" / "logo.png").unlink()
    call_command("load_flows", str(tmp_path))
    assert Client().get("/chat/shop/images/logo.png").status_code == 404


@pytest.mark.parametrize(
    ("image", "name", "reason"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "logo.svg", "is not a PNG, JPEG, GIF or WebP"),
        (b"<html>", "logo.png", "is not a PNG"),
        (PNG, "our logo.png", "Rename our logo.png"),
        (PNG, "logo.html", "Rename logo.html"),
        (b"", "logo.png", "is empty or larger than 1 MiB"),
        (PNG + bytes(1024 * 1024), "logo.png", "is empty or larger than 1 MiB"),
    ],
)
def test_a_file_that_is_no_safe_image_is_refused(tmp_path: Path, image: bytes, name: str, reason: str):
    with pytest.raises(CommandError, match=reason):
        call_command("load_flows", str(write_shop(tmp_path, image=image, name=name)))

    assert not Assistant.objects.filter(images__isnull=False).exists()
