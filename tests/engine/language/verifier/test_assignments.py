"""What is assigned must fit: types, whole numbers, and literals that look like templates."""

import pytest

from dialogue.engine.language.compiler import Problem, check_documents

HEAD = """\
version: 1
assistant: shop
records:
  order: {fields: {order_id: text, total: money, pieces: integer}}
  short: {fields: {order_id: text}}
actions:
  book: {inputs: {pieces: integer, order: short}, effect: some}
"""
FLOW = """\
flow: look
description: Looks.
slots:
  order: {{type: order, prompt: Order?}}
  orders: list of order
  shorts: list of short
  whole: optional integer
  number: optional number
  words: optional text
  flag: optional boolean
  day: optional date
  texts: list of text
steps:
  - {{step: ask, type: collect, slot: order}}
  - {{step: compute, type: set, slots: {{{assigned}}}}}
  - {{step: tell, type: say, message: "{{words|whole|number|flag|day|texts|shorts|orders}}"}}
"""


def findings(assigned: str) -> list[Problem]:
    flow = FLOW.format(assigned=assigned)
    problems = check_documents({"assistant.yaml": HEAD, "look.yaml": flow})
    return [problem for problem in problems if problem.rule in ("wrong_type", "fraction", "braces", "condition")]


@pytest.mark.parametrize(
    "assigned",
    [
        'whole: "=order.pieces * 2"',
        'whole: "=round(order.pieces / 2)"',
        'number: "=order.pieces / 2"',
        'words: "=order.total"',
        'words: "=today()"',
        'whole: "=words"',
        'orders: "=filter(orders, total > 5)"',
        'shorts: "=shorts"',
        'texts: "=pick(orders, total)"',
        'words: "plain {text}"',
        'words: "it is {words}, isn\'t it"',
        "words: \"='plain ' + words\"",
        'whole: "=if(flag, 1, 2)"',
    ],
)
def test_what_fits_gives_no_finding(assigned):
    assert findings(assigned) == []


@pytest.mark.parametrize(
    ("assigned", "severity", "text", "advice"),
    [
        (
            'flag: "=order.total"',
            "error",
            "`order.total` is a number, but the slot `flag`",
            "same",
        ),
        ('number: "=orders"', "error", "`orders` is a list of object, but the slot `number`", "here number"),
        ('day: "=order"', "error", "`order` is an object, but", "here date"),
        ('words: "=flag"', "error", "`flag` is a boolean, but", "here text"),
        ('shorts: "=orders"', "error", "`orders` is a list of object", "The field `total` is not one of its fields"),
        ('texts: "=order.pieces"', "error", "is a number, but the slot `texts` has the type list", "here list"),
        ('number: "=2h + 1d"', "error", "`2h + 1d` is a duration", "here number"),
        ('whole: "=order.pieces / 2"', "warning", "may have a fraction, but `whole` is an integer", "round("),
        ('whole: "=sum(orders, total / 3)"', "warning", "may have a fraction", "the type number"),
        ('words: "plain {whole}!"', "warning", "stored as it stands, with `{whole}`", "\"='plain ' + whole + '!'\""),
        ("words: \"='is {whole}'\"", "warning", "stored as it stands, with `{whole}`", "\"'is ' + whole\""),
        ('words: "{order.order_id}"', "warning", "with `{order.order_id}`", '"=order.order_id"'),
    ],
)
def test_what_does_not_fit_is_found(assigned, severity, text, advice):
    (finding,) = findings(assigned)

    assert finding.severity == severity
    assert text in finding.text
    assert advice in finding.advice


def test_fractions_and_other_records_are_found_in_the_inputs_of_actions_and_calls():
    steps = """\
  - {{step: book, type: action, call: book, inputs: {{pieces: order.pieces / 2, order: order}}, on_error: tell}}
  - {{step: other, type: call, flow: other, inputs: {{amount: order.pieces / 2}}}}
  - {{step: tell"""
    flow = FLOW.replace("  - {{step: tell", steps).format(assigned="whole: 1")
    other = """\
flow: other
description: Other.
slots: {amount: integer}
steps: [{step: a, type: say, message: "{amount}"}]
"""
    problems = check_documents({"assistant.yaml": HEAD, "look.yaml": flow, "other.yaml": other})

    rules = [(problem.rule, problem.path.split(".")[2]) for problem in problems if problem.severity == "error"]
    assert rules == [("wrong_type", "book")]
    fractions = [problem.path for problem in problems if problem.rule == "fraction"]
    assert fractions == ["look.steps.book.inputs.pieces", "look.steps.other.inputs.amount"]
