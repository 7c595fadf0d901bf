"""Messages that show more than text: lists, tables, links, images, and buttons from data."""

from typing import Any

import pytest

from dialogue.engine.language.compiler import check_documents
from dialogue.engine.ports.message_parts import plain_text, redacted_parts
from dialogue.engine.ports.sinks import BotMessage
from tests.support.engine.dialogue_harness import Talk, assistant_of

HEAD = """
records:
  order:
    fields: {order_id: text, total: {type: money, currency: EUR}, status: text, day: optional date, tags: list of text}
    label: "{order_id}, {status}"
slots:
  orders: list of order
  names: list of text
  page: {type: text, required: false}
actions:
  find: {inputs: {customer: text}, outputs: {orders: list of order}, effect: none}
"""
FLOW = """
flow: tell
title: orders
description: Lists orders.
slots: {{customer: {{type: text, prompt: Who?}}, ok: {{type: boolean, required: false}}}}
steps:
  - {{step: who, type: collect, slot: customer}}
  - {{step: find, type: action, call: find, outputs: {{orders: orders}}, on_error: end}}
  - {{step: tell, {step}}}
"""
ORDERS: list[dict[str, Any]] = [
    {"order_id": "W1", "total": "30.00", "status": "pending", "day": "2026-11-24", "tags": ["a", "b"]},
    {"order_id": "W2", "total": "1250.50", "status": "delivered", "day": None, "tags": []},
]
GO = ({"start_flow": "tell"}, {"set_slot": {"customer": "Ana"}})


async def told(step: str, orders: list[dict[str, Any]] = ORDERS, **settings: Any) -> BotMessage:
    """Play the flow to its message."""
    talk = Talk(
        assistant_of(FLOW.format(step=step), head=HEAD), {"find": [{"returns": {"orders": orders}}]}, **settings
    )
    await talk.does(*GO)
    return talk.outcome.messages[-1]


def errors(step: str) -> list[str]:
    documents = {"assistant.yaml": f"version: 1\nassistant: try\n{HEAD}", "tell.yaml": FLOW.format(step=step)}
    return [str(problem) for problem in check_documents(documents) if problem.severity == "error"]


LIST = 'type: say, message: "Your orders:", each: orders, line: "{item.order_id}: {item.total}, {customer}"'
TABLE = 'type: say, message: "Your orders:", table: {from: orders, columns: {Order: order_id, Total: total, Day: day}}'


async def test_a_list_has_a_line_for_each_entry_with_values_as_people_read_them():
    message = await told(LIST)

    assert message.text == "Your orders:\n- W1: €30.00, Ana\n- W2: €1,250.50, Ana"
    assert message.parts == (
        {"type": "text", "text": "Your orders:"},
        {"type": "list", "items": ["W1: €30.00, Ana", "W2: €1,250.50, Ana"], "total": 2, "more": ""},
    )
    assert message.text == plain_text(message.parts)
    assert message.to_json()["parts"] == list(message.parts)


async def test_a_table_has_a_row_for_each_entry_and_leaves_empty_values_empty():
    message = await told(TABLE)

    assert message.parts[1] == {
        "type": "table",
        "columns": ["Order", "Total", "Day"],
        "rows": [["W1", "€30.00", "November 24, 2026"], ["W2", "€1,250.50", ""]],
        "total": 2,
        "more": "",
    }
    assert message.text == (
        "Your orders:\n- Order: W1, Total: €30.00, Day: November 24, 2026\n- Order: W2, Total: €1,250.50"
    )


async def test_a_long_list_is_cut_and_says_how_many_more_there_are_in_the_users_language():
    many = [{**ORDERS[0], "order_id": f"W{number}"} for number in range(32)]

    english = await told(LIST, many)
    limited = await told(TABLE.replace("from: orders", "limit: 5, from: orders"), many)

    assert (len(english.parts[1]["items"]), english.parts[1]["total"]) == (20, 32)
    assert english.parts[1]["more"] == "and 12 more"
    assert english.text.endswith("- W19: €30.00, Ana\nand 12 more")
    assert (len(limited.parts[1]["rows"]), limited.parts[1]["more"]) == (5, "and 27 more")


async def test_an_empty_list_has_a_text_of_its_own():
    own = await told(LIST + ', empty: "{customer}, you have no orders."', [])
    general = await told(LIST, [])

    assert own.parts == ({"type": "text", "text": "Ana, you have no orders."},)
    assert own.text == "Ana, you have no orders."
    assert general.text == "Your orders:\nThere is nothing to show."


async def test_a_message_without_parts_is_only_text():
    message = await told('type: say, message: "Hello {customer}"')

    assert message.parts == ()
    assert message.to_json() == {"key": "say:tell", "text": "Hello Ana", "buttons": [], "ordinal": 0}


async def test_links_encode_values_and_leave_out_addresses_that_cannot_be_opened_safely():
    links = (
        "links: [{label: 'Orders of {customer}', url: 'https://shop.example/o?c={customer}'}, "
        "{label: Mail, url: 'mailto:shop@example.org'}, {label: Page, url: '{page}'}]"
    )
    step = f"type: say, message: Links, {links}"
    talk = Talk(assistant_of(FLOW.format(step=step), head=HEAD), {"find": [{"returns": {"orders": []}}]})
    await talk.does(
        {"start_flow": "tell"}, {"set_slot": {"page": "javascript:alert(1)"}}, {"set_slot": {"customer": "A&b=1/ü"}}
    )

    message = talk.outcome.messages[-1]

    assert message.parts[1] == {
        "type": "links",
        "links": [
            {"label": "Orders of A&b=1/ü", "url": "https://shop.example/o?c=A%26b%3D1%2F%C3%BC"},
            {"label": "Mail", "url": "mailto:shop@example.org"},
        ],
    }
    assert message.text.splitlines()[1:] == [
        "Orders of A&b=1/ü: https://shop.example/o?c=A%26b%3D1%2F%C3%BC",
        "Mail: mailto:shop@example.org",
    ]


@pytest.mark.parametrize(
    ("page", "is_link"),
    [
        ("https://example.org/a?b=c", True),
        ("HTTP://example.org", True),
        ("mailto:a@example.org", True),
        ("JavaScript:alert(1)", False),
        ("data:text/html,x", False),
        ("//example.org", False),
        ("https://", False),
        ("https://exa mple.org", False),
        ("https://example.org/\"onclick='x'", False),
        ("https://[::1", False),
        ("https://example.org/" + "a" * 3_000, False),
        ("\tjavascript:alert(1)", False),
    ],
)
async def test_only_web_and_mail_addresses_are_links(page: str, is_link: bool):
    step = "type: say, message: Go, links: [{label: Page, url: '{page}'}]"
    talk = Talk(assistant_of(FLOW.format(step=step), head=HEAD), {"find": [{"returns": {"orders": []}}]})

    await talk.does({"start_flow": "tell"}, {"set_slot": {"page": page}}, {"set_slot": {"customer": "Ana"}})

    assert (len(talk.outcome.messages[-1].parts) == 2) is is_link


async def test_an_image_of_the_assistant_is_shown_and_one_of_an_unknown_origin_is_described():
    own = await told("type: say, message: Map, image: {url: images/map.png, alt: The way to us}")
    foreign = await told("type: say, message: Map, image: {url: 'https://cdn.example.org/map.png', alt: The way to us}")

    assert own.parts[1] == {"type": "image", "url": "images/map.png", "alt": "The way to us"}
    assert own.text == "Map\nThe way to us"
    assert foreign.parts[1] == {"type": "text", "text": "The way to us"}


async def test_buttons_come_from_the_entries_of_a_list():
    step = 'type: say, message: Which?, buttons: {from: orders, value: order_id, label: "{order_id} ({total})"}'
    plain = "type: say, message: Which?, buttons: {from: orders, value: order_id, limit: 1}"

    message, shortened = await told(step), await told(plain)

    assert [(button.value, button.label) for button in message.buttons] == [
        ("W1", "W1 (€30.00)"),
        ("W2", "W2 (€1,250.50)"),
    ]
    assert [(button.value, button.label) for button in shortened.buttons] == [("W1", "W1, pending")]
    assert (await told(step, [])).buttons == ()
    assert len((await told(step, [ORDERS[0], ORDERS[0]])).buttons) == 1


async def test_a_question_shows_parts_and_a_confirm_counts_only_for_the_displayed_values():
    step = 'type: confirm, message: "Cancel these?", each: orders, line: "{item.order_id}", on_deny: end'
    talk = Talk(assistant_of(FLOW.format(step=step), head=HEAD), {"find": [{"returns": {"orders": ORDERS}}] * 3})
    await talk.does(*GO)

    question, task = talk.outcome.messages[-1], talk.outcome.awaited
    assert question.key == "confirm:tell" and question.parts[1]["items"] == ["W1", "W2"]
    assert task is not None and task.parts == question.parts and task.to_json()["parts"] == list(question.parts)
    assert getattr(task, "shown", {}) == {"orders": ORDERS}
    assert await talk.does("repeat") == ["confirm:tell"]

    await talk.does({"set_slot": {"orders": ORDERS[:1]}})

    changed = talk.outcome.awaited
    assert changed is not None and task.key != changed.key
    assert talk.outcome.messages[-1].parts[1]["items"] == ["W1"]


async def test_a_collect_shows_a_table_above_its_question():
    step = TABLE.replace("type: say", "type: collect, slot: ok")

    message = await told(step)

    assert message.key == "ask:ok" and [part["type"] for part in message.parts] == ["text", "table"]
    assert [button.value for button in message.buttons] == ["yes", "no"]


async def test_a_list_of_texts_shows_its_entries():
    step = 'type: say, message: "", each: names, line: "#{item}"'
    talk = Talk(assistant_of(FLOW.format(step=step), head=HEAD), {"find": [{"returns": {"orders": []}}]})

    await talk.does({"start_flow": "tell"}, {"set_slot": {"names": ["a", "b"]}}, {"set_slot": {"customer": "Ana"}})

    assert talk.texts[-1] == "- #a\n- #b"


async def test_a_repeated_message_keeps_its_parts():
    step = LIST + "}\n  - {step: more, type: collect, slot: ok, message: More?"
    talk = Talk(assistant_of(FLOW.format(step=step), head=HEAD), {"find": [{"returns": {"orders": ORDERS}}]})
    await talk.does(*GO)

    await talk.does("repeat")

    assert [message.parts[1:2] != () for message in talk.outcome.messages] == [True, False]


def test_hiding_a_value_hides_it_in_every_part_and_keeps_the_types():
    parts: list[dict[str, Any]] = [
        {"type": "text", "text": "text"},
        {"type": "table", "columns": ["a"], "rows": [["text"]], "total": 1, "more": ""},
        {"type": "links", "links": [{"label": "text", "url": "https://e/text"}]},
    ]

    hidden = redacted_parts(parts, lambda text: text.replace("text", "•"))

    assert [part["type"] for part in hidden] == ["text", "table", "links"]
    assert hidden[0]["text"] == "•" and hidden[1]["rows"] == [["•"]]
    assert hidden[2]["links"] == [{"label": "•", "url": "https://e/•"}]


@pytest.mark.parametrize(
    ("step", "finding"),
    [
        (LIST.replace("each: orders, ", ""), "`line` has no `each`. Write both, such as each: orders"),
        (LIST.replace("each: orders", "each: ordrs"), "there is no such slot. Did you mean `orders`?"),
        (LIST.replace("each: orders", "each: customer"), "`customer` is not a list of known entries"),
        (LIST.replace("item.total", "item.totl"), "`{item.totl}`, which is neither a field of the entries nor a slot"),
        (LIST.replace("{customer}", "{custmer}"), "`{custmer}`, which is neither a field of the entries nor a slot"),
        (LIST.replace("{customer}", "{item.tags.x}"), "`{item.tags.x}`, which is neither a field"),
        (LIST.replace("{customer}", "{=item.total * 2}"), "is computed in messages and prompts only"),
        (TABLE.replace("Day: day", "Day: dya"), "the entries have no field `dya`. Did you mean `day`?"),
        (TABLE.replace("Day: day", "Day: 'the day'"), "the day"),
        (TABLE + ", each: orders, line: x", "a message shows a list or a table, not both"),
        ("type: say, message: x, empty: y", "`empty` stands for an empty list, but there is no list"),
        ("type: say, message: x, links: [{label: a, url: 'ftp://x'}]", "`ftp://x` is not the address of a web page"),
        ("type: say, message: x, links: [{label: a, url: 'https://{page}/'}]", "is not the address of a web page"),
        ("type: say, message: x, image: {url: 'http://x.org/a.png', alt: a}", "is not the address of an image"),
        ("type: say, message: x, image: {url: images/a.png}", "`alt`"),
        ("type: say, message: x, buttons: {from: orders, value: tags}", "a button cannot send `tags`"),
        ("type: say, message: x, buttons: {from: orders, vale: tags}", "`vale`"),
        (
            "type: say, message: x, buttons: {from: orders, value: order_id, label: '{pric}'}",
            "`{pric}`, which is neither",
        ),
        ("type: say, message: x, buttons: [{value: a, lable: b}]", "Did you mean `label`?"),
    ],
)
def test_a_mistake_in_a_message_is_one_finding_with_advice(step: str, finding: str):
    (error,) = errors(step)

    assert finding in error


def test_messages_that_fit_have_no_findings():
    steps = [LIST, TABLE, 'type: say, message: "", each: names, line: "{item}"']
    steps.append('type: say, message: x, each: orders, line: "{item.day} {item} {orders.status} {item.tags}", limit: 3')

    assert [errors(step) for step in steps] == [[]] * len(steps)
