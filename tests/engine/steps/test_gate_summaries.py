"""The summary of a human step: what lists show of a request, with sensitive values masked."""

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.tasks import HumanTask
from dialogue.engine.slots.definitions.labels import label_of_slot, words_of_name
from dialogue.engine.slots.templates import Translated
from tests.support.engine.dialogue_harness import Talk

SHOP = "version: 1\nassistant: shop\n"
FLOW = """\
flow: refund
description: Gives money back.
slots:
  amount: {type: money, currency: EUR}
  iban: {type: text, sensitive: true}
  note: optional text
steps:
  - {step: ask_amount, type: collect, slot: amount}
  - {step: ask_iban, type: collect, slot: iban}
  - step: check
    type: human
    title: A refund
    summary: {en: "{amount} to {iban} {note}", es: "{amount} a {iban} {note}"}
    actions: [{id: approve}, {id: reject}]
    timeout: 1h
    on_timeout: reject
"""


async def task_of(flow: str, language: str = "en") -> HumanTask:
    head = f"{SHOP}language: {language}\n"
    talk = Talk(load_assistant({"assistant.yaml": head, "refund.yaml": flow}))
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": "30.00", "iban": "DE89370400440532013000"}})
    return next(task for task in talk.outcome.tasks if isinstance(task, HumanTask))


async def test_the_summary_names_values_and_masks_the_sensitive_one():
    assert (await task_of(FLOW)).summary == "€30.00 to •••• 3000"


async def test_the_summary_is_in_the_language_of_the_conversation():
    assert (await task_of(FLOW, "es")).summary == "30,00 € a •••• 3000"


async def test_the_summary_is_not_part_of_what_a_checkpoint_stores():
    assert "summary" not in (await task_of(FLOW)).to_json()


async def test_a_step_without_a_summary_has_none():
    plain = "\n".join(line for line in FLOW.splitlines() if "summary:" not in line)
    assert (await task_of(plain)).summary == ""


def test_a_slot_is_called_by_its_title_or_else_by_its_name_in_words():
    title = Translated("pick-up branch", {"en": "pick-up branch", "es": "sucursal"})
    assert label_of_slot("branch", title, "es") == "Sucursal"
    assert label_of_slot("iban") == "IBAN"
    assert label_of_slot("payee_id") == "Payee ID"
    assert label_of_slot("address.zip_code") == "Address: zip code"
    assert words_of_name("payee_iban") == "payee IBAN"
