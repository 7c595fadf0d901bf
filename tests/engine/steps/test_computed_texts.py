"""Messages and prompts that compute: {=expression}."""

from typing import Any

import pytest

from dialogue.engine.language.compiler import check_documents, load_assistant
from tests.support.engine.dialogue_harness import Talk

SHOP = """\
version: 1
assistant: shop
records:
  item: {fields: {name: text, price: {type: money, currency: EUR}, pieces: integer}}
slots:
  secret: {type: text, sensitive: true, required: false}
"""
FLOW = """\
flow: buy
description: Buys.
slots:
  items: {type: list, items: item, prompt: Items?}
  rest: {type: number, prompt: "How much of {=sum(items, price)} do you pay?"}
  note: optional text
steps:
  - {step: ask, type: collect, slot: items}
  - {step: total, type: say, message: MESSAGE}
  - {step: ask_rest, type: collect, slot: rest}
  - {step: agree, type: confirm, message: "{=count(items)} items for {=sum(items, price)}?"}
"""
ITEMS: list[dict[str, Any]] = [
    {"name": "lamp", "price": "1220.00", "pieces": 2},
    {"name": "mug", "price": "8.50", "pieces": 1},
]


def flow(message: str) -> str:
    return FLOW.replace("MESSAGE", message)


async def said(message: str, language: str = "en") -> str:
    head = SHOP.replace("assistant: shop", f"assistant: shop\nlanguage: {language}")
    talk = Talk(load_assistant({"assistant.yaml": head, "buy.yaml": flow(message)}))
    await talk.does({"start_flow": "buy"}, {"set_slot": {"items": ITEMS}})
    return talk.texts[0]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ('"{=sum(items, price)}"', "€1,228.50"),
        ('"{=sum(items, price) / 2}"', "€614.25"),
        ('"{=round(sum(items, price) / 4, 2)}"', "€307.13"),
        ('"{=round(sum(items, price) / max(items, price), 2)} times"', "1.01 times"),
        ('"{=count(items)} and {=sum(items, pieces)}"', "2 and 3"),
        ("\"{=join(pick(items, name), ' and ')}: {items.name}\"", "lamp and mug: lamp, mug"),
        ('"{=pick(items, price)}"', "€1,220.00, €8.50"),
        ('"until {=today() + 30d}"', "until December 23, 2026"),
        ('"{=any(items, price > 1000)}"', "yes"),
        ("\"{=if(count(items) > 1, 'these', 'this')}\"", "these"),
        ("\"{=first_filled(note, 'no note')}\"", "no note"),
        ('"{=first(items).name}"', "lamp"),
    ],
)
async def test_a_message_computes(message, text):
    assert await said(message) == text


async def test_numbers_are_written_in_the_language_of_the_conversation():
    assert await said('"{=sum(items, price)} el {=today()}"', "es") == "1.228,50 € el 23 de noviembre de 2026"


async def test_prompts_and_confirms_compute_and_a_confirm_asks_again_for_another_result():
    talk = Talk(load_assistant({"assistant.yaml": SHOP, "buy.yaml": flow("Good.")}))
    await talk.does({"start_flow": "buy"}, {"set_slot": {"items": ITEMS}})
    assert talk.texts[-1] == "How much of €1,228.50 do you pay?"
    await talk.does({"set_slot": {"rest": 1}})
    assert talk.texts == ["2 items for €1,228.50?"]

    await talk.does({"correct_slot": {"items": ITEMS[1:]}})
    assert talk.texts[-1] == "1 items for €8.50?"


@pytest.mark.parametrize(
    ("message", "finding", "advice"),
    [
        ('"{=sum(items, prise)}"', "names `prise`", "Did you mean `price`?"),
        ('"{=sum(items}"', "is not an expression: A `)` is missing", ""),
        ('"{=first(items)}"', "is an object, which has no text", "Name a field"),
        ('"{=items}"', "is a list of object, which has no text", "Name a field"),
        ('"{=upper(secret)}"', "computed from `secret`, which is sensitive", "Write {secret} itself"),
        ('"{=price > 3}"', "names `price`, but there is no such slot", ""),
    ],
)
def test_an_expression_that_cannot_be_shown_is_found(message, finding, advice):
    problems = [str(problem) for problem in check_documents({"assistant.yaml": SHOP, "buy.yaml": flow(message)})]
    (error,) = [problem for problem in problems if "E-FLOW" in problem]
    assert "buy.yaml:9:" in error and finding in error and advice in error


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("number, prompt", 'number, invalid: "{=1 + 1}", prompt'),
        ("description: Buys.", 'description: Buys.\nif: filled(secret)\nelse_say: "{=1 + 1}"'),
    ],
)
def test_elsewhere_an_expression_is_refused(right, wrong):
    text = flow("Good.").replace(right, wrong)
    problems = [str(problem) for problem in check_documents({"assistant.yaml": SHOP, "buy.yaml": text})]
    (error,) = [problem for problem in problems if "E-FLOW" in problem]
    assert "computed in messages and prompts only" in error


def test_a_response_and_a_label_cannot_compute():
    response = f"{SHOP}responses: {{help: '{{=1 + 1}}'}}\n"
    assert "cannot compute an expression" in str(
        check_documents({"assistant.yaml": response, "buy.yaml": flow("Hi")})[0]
    )
    label = SHOP.replace("pieces: integer}}", "pieces: integer}, label: '{=1 + 1}'}")
    assert any(
        "the label has the expression" in str(problem)
        for problem in check_documents({"assistant.yaml": label, "buy.yaml": flow("Hi")})
    )


def test_a_value_that_may_be_empty_is_a_gap():
    text = (
        flow('"{=note}"')
        .replace("note: optional text", "note: {type: text, prompt: Note?}")
        .replace("  - {step: agree", "  - {step: ask_note, type: collect, slot: note}\n  - {step: agree")
    )
    problems = check_documents({"assistant.yaml": SHOP, "buy.yaml": text})
    assert [problem.rule for problem in problems if problem.rule in ("read_too_early", "gap")] == ["read_too_early"]
