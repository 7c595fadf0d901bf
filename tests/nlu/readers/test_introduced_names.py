"""Names with which people introduce themselves where their name was asked for."""

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import SetSlot
from dialogue.nlu import build_nlu
from tests.support.nlu.situations import situation

VISITS = load_assistant(
    {
        "assistant.yaml": "{version: 1, assistant: visits, title: Visits, description: Visits., language: en}",
        "plan_visit.yaml": """
flow: plan_visit
title: Plan a visit
description: Plan a visit to us.
slots:
  name: {type: text, prompt: What is your name?}
  reason: {type: text, prompt: Why do you come?}
steps:
  - {step: ask_name, type: collect, slot: name}
  - {step: ask_reason, type: collect, slot: reason}
""",
    }
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I'm Ann Lee", "Ann Lee"),
        ("Ann Lee here", "Ann Lee"),
        ("It's Ann Lee speaking", "Ann Lee"),
        ("Name: Ann Lee", "Ann Lee"),
        ("This is Dr Lee-Smith.", "Dr Lee-Smith"),
        ("Ann Lee", "Ann Lee"),
        ("it's under Ann Lee", "Ann Lee"),
    ],
)
async def test_the_name_alone_is_kept(text: str, name: str) -> None:
    understanding = await build_nlu(VISITS, "learned").understand(text, situation(VISITS, "plan_visit?name"))

    assert [each.value for each in understanding.commands if isinstance(each, SetSlot)] == [name]


async def test_a_reason_keeps_its_first_words() -> None:
    text = "I'm moving to Ash Lane"
    understanding = await build_nlu(VISITS, "learned").understand(text, situation(VISITS, "plan_visit?reason"))

    assert [each.value for each in understanding.commands if isinstance(each, SetSlot)] == [text]


@pytest.mark.parametrize("text", ["soy Ana Ruiz", "a nombre de Ana Ruiz", "Ana Ruiz al habla", "Nombre: Ana Ruiz"])
async def test_the_name_alone_is_kept_in_spanish(text: str) -> None:
    visits = load_assistant(
        {
            "assistant.yaml": "{version: 1, assistant: visitas, title: Visitas, description: Visitas., language: es}",
            "plan_visit.yaml": """
flow: plan_visit
title: Pedir una visita
description: Pedir una visita.
slots:
  nombre: {type: text, prompt: "¿Cómo se llama?"}
steps:
  - {step: ask_name, type: collect, slot: nombre}
""",
        }
    )
    understanding = await build_nlu(visits, "learned").understand(text, situation(visits, "plan_visit?nombre"))

    assert [each.value for each in understanding.commands if isinstance(each, SetSlot)] == ["Ana Ruiz"]
