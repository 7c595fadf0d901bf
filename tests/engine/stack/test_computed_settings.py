"""Limits, defaults and settings of a gate that are computed from values."""

from datetime import UTC, datetime
from typing import Any

from dialogue.engine.ports.tasks import HumanTask
from tests.support.engine.dialogue_harness import Talk, assistant_of

HEAD = """
slots:
  balance: {type: money, currency: EUR, required: false}
  region: {type: text, default: north}
  day: {type: date, default: "=today() + 7d"}
"""
PAY = """
flow: pay
title: pay a bill
description: Pays a bill.
slots:
  owed: {type: money, prompt: How much do you owe?}
  amount: {type: money, minimum: "=owed / 10", maximum: "=owed", prompt: How much do you pay?}
  note: {type: text, default: "='for ' + region", prompt: A note?}
  secret: {type: text, sensitive: true, default: "1234567890"}
steps:
  - {step: ask_owed, type: collect, slot: owed}
  - {step: ask_amount, type: collect, slot: amount}
  - {step: ask_note, type: collect, slot: note}
  - step: approval
    type: human
    title: "{amount} of {secret}, {note|amount}"
    show: [amount]
    group: "=region"
    queue: "='desk ' + region"
    priority: "=if(amount > 50, 'high', 'normal')"
    due: "=2h"
    form: {limit: {type: money, maximum: "=owed", default: "=amount"}}
    actions: [{id: approve, style: primary}, {id: reject}]
    timeout: 1d
    on_timeout: reject
  - {step: done, type: say, message: Done.}
"""
OWED: Any = ({"start_flow": "pay"}, {"set_slot": {"owed": "100"}})


def _talk(pay: str = PAY) -> Talk:
    return Talk(assistant_of(pay, head=HEAD))


def _gate(talk: Talk) -> HumanTask:
    task = talk.staff_task()
    assert isinstance(task, HumanTask)
    return task


async def test_a_limit_from_a_value_is_checked_and_named_in_the_refusal():
    talk = _talk()
    await talk.does(*OWED)
    assert await talk.does({"set_slot": {"amount": "120"}}) == ["rejected:amount", "ask:amount"]
    assert talk.texts[0] == "“120.00” is out of range. It must be between 10.00 and 100.00."
    await talk.does({"set_slot": {"amount": "80"}})
    assert talk.value("pay.amount") == "80.00"


async def test_a_refusal_in_the_author_s_words_names_the_computed_limit():
    talk = _talk(
        PAY.replace(
            "prompt: How much do you pay?",
            'invalid: "{value} is not between {minimum} and {maximum}.", prompt: How much?',
        )
    )
    await talk.does(*OWED)
    await talk.does({"set_slot": {"amount": "much"}})
    assert talk.texts[0] == "much is not between 10.00 and 100.00."


async def test_a_limit_without_a_value_limits_nothing():
    talk = _talk(PAY.replace('maximum: "=owed"', 'maximum: "=balance"', 1))
    await talk.does(*OWED)
    assert await talk.does({"set_slot": {"amount": "5000"}}) == ["waiting:approval"]


async def test_a_limit_of_another_type_limits_nothing():
    talk = _talk(PAY.replace('minimum: "=owed / 10", maximum: "=owed"', 'maximum: "=first_filled(balance, owed)"'))
    await talk.does(*OWED)
    assert (await talk.does({"set_slot": {"amount": "120"}}))[0] == "rejected:amount"


async def test_a_corrected_value_that_lowers_the_limit_asks_again():
    talk = _talk(
        PAY.replace(
            "  - step: approval", '  - {step: sure, type: confirm, message: "{amount} of {owed}?"}\n  - step: approval'
        )
    )
    await talk.does(*OWED, {"set_slot": {"amount": "80"}})
    assert await talk.does({"correct_slot": {"owed": "50"}}) == ["corrected:owed", "rejected:amount", "ask:amount"]
    assert talk.value("pay.amount") is None
    assert await talk.does({"set_slot": {"amount": "50"}}) == ["confirm:pay"]


async def test_a_corrected_value_that_keeps_within_the_limit_asks_nothing():
    talk = _talk(
        PAY.replace(
            "  - step: approval", '  - {step: sure, type: confirm, message: "{amount} of {owed}?"}\n  - step: approval'
        )
    )
    await talk.does(*OWED, {"set_slot": {"amount": "80"}})
    assert await talk.does({"correct_slot": {"owed": "90"}}) == ["corrected:owed", "confirm:pay"]


async def test_a_default_from_a_value_is_computed_when_the_flow_begins():
    talk = _talk()
    await talk.does(*OWED, {"set_slot": {"amount": "80"}})
    assert talk.value("pay.note") == "for north"
    assert talk.value("day") == "2026-11-30"


async def test_a_default_gives_way_to_what_the_message_says():
    talk = _talk()
    await talk.does(*OWED, {"set_slot": {"note": "rent"}})
    assert talk.value("pay.note") == "rent"


async def test_a_default_without_a_value_is_asked_for():
    talk = _talk(
        PAY.replace("\"='for ' + region\"", '"=lower(region_of)"').replace(
            "slots:\n", "slots:\n  region_of: {type: text, required: false}\n", 1
        )
    )
    await talk.does(*OWED)
    assert await talk.does({"set_slot": {"amount": "80"}}) == ["ask:note"]


async def test_a_default_that_its_slot_refuses_is_asked_for():
    talk = _talk(PAY.replace("prompt: A note?", "max_length: 3, prompt: A note?"))
    await talk.does(*OWED)
    assert await talk.does({"set_slot": {"amount": "80"}}) == ["ask:note"]


async def test_a_gate_takes_its_settings_from_values_and_masks_sensitive_ones():
    talk = _talk()
    await talk.does(*OWED, {"set_slot": {"amount": "80"}})
    task = _gate(talk)
    assert task.title == "80.00 of •••• 7890, for north"
    computed = task.computed
    assert (computed["group"], computed["queue"], computed["priority"]) == ("north", "desk north", "high")
    assert computed["due"] == datetime(2026, 11, 23, 11, 0, tzinfo=UTC).isoformat()
    assert computed["form"]["limit"]["maximum"] == "100.00"
    assert computed["form"]["limit"]["default"] == 80


async def test_a_day_as_due_date_is_its_end():
    talk = _talk(PAY.replace('due: "=2h"', 'due: "=day"'))
    await talk.does(*OWED, {"set_slot": {"amount": "80"}})
    assert _gate(talk).computed["due"] == datetime(2026, 12, 1, tzinfo=UTC).isoformat()


async def test_settings_without_a_value_fall_back():
    pay = PAY.replace('group: "=region"', 'group: "=team"').replace("queue: \"='desk ' + region\"", 'queue: "=team"')
    pay = pay.replace("priority: \"=if(amount > 50, 'high', 'normal')\"", 'priority: "=team"').replace(
        'due: "=2h"', 'due: "=when"'
    )
    pay = pay.replace(
        "slots:\n", "slots:\n  team: {type: text, required: false}\n  when: {type: date, required: false}\n", 1
    )
    talk = _talk(pay)
    await talk.does(*OWED, {"set_slot": {"amount": "80"}})
    computed = _gate(talk).computed
    assert {key: computed[key] for key in ("group", "queue", "priority", "due")} == dict.fromkeys(
        ("group", "queue", "priority", "due")
    )


async def test_a_title_of_the_first_version_shows_what_is_no_slot():
    talk = _talk(PAY.replace('title: "{amount} of {secret}, {note|amount}"', 'title: "{Approve} {what}"'))
    await talk.does(*OWED, {"set_slot": {"amount": "80"}})
    assert _gate(talk).title == "{Approve} {what}"
