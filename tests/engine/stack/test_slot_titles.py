"""What messages call a slot: its title, a description in several languages, or else its name."""

import pytest

from tests.support.engine.dialogue_harness import Talk, assistant_of

FLOW = """\
flow: order
description: Order something.
slots:
  pick_up_branch: {type: text, description: Where you fetch it, prompt: Where?}
  size: {type: text, description: {en: the size, es: la talla}, prompt: Which size?}
  card: {type: text, title: {en: the card, es: la tarjeta}, description: "Four digits", prompt: Which card?}
steps:
  - {step: where, type: collect, slot: pick_up_branch}
  - {step: how_big, type: collect, slot: size}
  - {step: who_pays, type: collect, slot: card}
  - {step: sure, type: confirm, message: "Order?"}
"""

TITLES = {
    ("pick_up_branch", "en"): "pick up branch",
    ("pick_up_branch", "es"): "pick up branch",
    ("size", "en"): "the size",
    ("size", "es"): "la talla",
    ("card", "en"): "the card",
    ("card", "es"): "la tarjeta",
}


def talk_in(language: str) -> Talk:
    return Talk(assistant_of(FLOW, head=f"language: {language}\n"))


@pytest.mark.parametrize(("name", "language"), TITLES)
async def test_a_correction_says_what_the_slot_is_called(name: str, language: str):
    talk = talk_in(language)
    await talk.does({"start_flow": "order"}, {"set_slot": {"pick_up_branch": "a", "size": "b", "card": "c"}})

    await talk.does({"correct_slot": {name: "x"}})

    sentence = {"en": "All right, {} is now x.", "es": "De acuerdo, {} es ahora x."}[language]
    assert talk.texts[0] == sentence.format(TITLES[name, language])


async def test_a_question_that_cannot_be_skipped_says_what_the_slot_is_called():
    talk = talk_in("es")
    await talk.does({"start_flow": "order"}, {"set_slot": {"pick_up_branch": "a"}})

    await talk.does({"skip_slot": "size"})

    assert talk.texts[0] == "No puedo continuar sin este dato: la talla."


async def test_the_status_says_what_the_slots_are_called():
    talk = talk_in("en")
    await talk.does({"start_flow": "order"}, {"set_slot": {"pick_up_branch": "a"}})

    await talk.does({"digress": "status"})

    assert "Still missing: the size, the card." in talk.texts[0]
