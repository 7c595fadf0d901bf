"""A small shop to break in one place at a time: its documents, and what the checks say about them."""

from collections.abc import Mapping

from dialogue.engine.language.compiler import Assistant, Problem, check_documents, load_assistant

ASSISTANT = """\
version: 1
assistant: shop
title: Shop
slots:
  verified: {type: boolean, default: false}
actions:
  charge:
    inputs: {amount: money, note: optional text}
    outputs: {receipt: text}
    idempotent: true
"""

PAY = """\
flow: pay
title: pay a bill
description: Pay a bill by card or in cash.
examples: ["pay {amount} now"]
slots:
  amount: {type: money, prompt: How much?}
  kind: {type: choice, options: [card, cash], prompt: How?}
  receipt: {type: text, required: false}
steps:
  - {step: ask, type: collect, slot: amount}
  - {step: how, type: collect, slot: kind}
  - {step: sure, type: confirm, message: "Pay {amount}?"}
  - {step: pay, type: action, call: charge, outputs: {receipt: receipt}, on_error: sorry}
  - {step: done, type: say, message: "Paid, {receipt}.", next: end}
  - {step: sorry, type: say, message: Sorry.}
"""

APPROVAL = """\
  - step: boss
    type: human
    title: Approve
    actions: [{id: approve, style: primary}, {id: reject, reason: required}]
    timeout: 30m
    on_timeout: reject
    show: [amount]
    form: {limit: integer, why: optional text}
    next: {approve: pay, reject: sorry}
"""


def documents(pay: str = PAY, assistant: str = ASSISTANT, **more: str) -> Mapping[str, str]:
    """The shop's documents; `more` are further flows by name."""
    return {"assistant.yaml": assistant, "pay.yaml": pay, **{f"{name}.yaml": text for name, text in more.items()}}


def changed(old: str, new: str, text: str = PAY) -> str:
    """The text with one place written differently."""
    assert text.count(old) >= 1, f"{old!r} is not in the text"
    return text.replace(old, new, 1)


def with_step(step: str) -> str:
    """The flow with one more step, before the question whether to pay."""
    return changed("  - {step: sure", f"{step.rstrip()}\n  - {{step: sure")


def problems(pay: str = PAY, assistant: str = ASSISTANT, **more: str) -> list[Problem]:
    return check_documents(documents(pay, assistant, **more))


def only_problem(pay: str = PAY, assistant: str = ASSISTANT, **more: str) -> Problem:
    """The one thing that is wrong."""
    found = problems(pay, assistant, **more)
    assert len(found) == 1, "\n".join(map(str, found))
    return found[0]


def shop(pay: str = PAY, assistant: str = ASSISTANT, **more: str) -> Assistant:
    return load_assistant(documents(pay, assistant, **more))
