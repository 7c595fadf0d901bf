"""What authors may teach, well or badly, and what understanding makes of it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from ruamel.yaml import YAML

from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.engine.ports.commands import CannotHandle, Clarify, StartFlow
from dialogue.engine.understanding import Understanding
from dialogue.nlu import build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.support.nlu.situations import situation


def taught(
    flows: Mapping[str, Sequence[str]], titles: Mapping[str, str] | None = None, language: str = "en"
) -> Assistant:
    """An assistant whose flows have these examples, and else as little as a flow may have."""
    documents: dict[str, Any] = {
        "assistant.yaml": {"version": 1, "assistant": "taught", "title": "Taught", "language": language},
    }
    for name, examples in flows.items():
        title = (titles or {}).get(name, name.replace("_", " "))
        steps = [{"step": "done", "type": "say", "message": "Done."}]
        documents[f"{name}.yaml"] = {"flow": name, "title": title, "description": f"{title}.", "steps": steps}
        if examples:
            documents[f"{name}.yaml"]["examples"] = list(examples)
    return load_assistant({name: _written(document) for name, document in documents.items()})


def _written(document: Mapping[str, Any]) -> str:
    from io import StringIO

    text = StringIO()
    YAML(typ="safe").dump(dict(document), text)
    return text.getvalue()


async def heard(assistant: Assistant, message: str, *, embedded: bool = False) -> Understanding:
    nlu = build_nlu(assistant, "learned", NLUSettings(use_embeddings=embedded))
    nlu.prepare()
    return await nlu.understand(message, situation(assistant))


@pytest.mark.parametrize("embedded", [False, True])
async def test_an_example_that_two_flows_claim_is_asked_about_and_never_guessed(embedded: bool) -> None:
    assistant = taught(
        {"pay_fine": ["settle my account"], "pay_loan": ["settle my account"], "renew": ["keep it longer"]}
    )

    understanding = await heard(assistant, "settle my account", embedded=embedded)

    (command,) = understanding.commands
    assert isinstance(command, Clarify)
    assert set(command.flows) >= {"pay_fine", "pay_loan"}


@pytest.mark.parametrize("embedded", [False, True])
async def test_one_example_is_enough_to_be_recognised_by(embedded: bool) -> None:
    assistant = taught({"park_car": ["where may I leave my vehicle"], "feed_cat": ["give the kitten some food"]})

    understanding = await heard(assistant, "give my kitten food", embedded=embedded)

    assert understanding.commands == (StartFlow("feed_cat"),)


@pytest.mark.parametrize("embedded", [False, True])
async def test_a_flow_without_examples_is_known_by_its_title(embedded: bool) -> None:
    assistant = taught({"report_theft": [], "order_water": []}, {"report_theft": "report a theft"})

    understanding = await heard(assistant, "I want to report a theft", embedded=embedded)

    assert understanding.commands == (StartFlow("report_theft"),)


async def test_an_assistant_that_was_taught_nothing_understands_nothing_and_says_so() -> None:
    understanding = await heard(taught({"only": []}, {"only": "x"}), "book a flight to the moon", embedded=True)

    assert understanding.commands == (CannotHandle("not understood"),)


async def test_ten_thousand_examples_are_learned_and_told_apart() -> None:
    flows = {f"flow_{number}": [f"k{number}x{turn}" for turn in range(200)] for number in range(50)}
    assistant = taught(flows)

    understanding = await heard(assistant, "k7x123")

    assert sum(map(len, flows.values())) == 10_000
    assert understanding.commands == (StartFlow("flow_7"),)


@pytest.mark.parametrize("language", ["en", "es"])
async def test_flows_of_one_title_in_two_languages_are_offered_side_by_side(language: str) -> None:
    titles = {"appointment": "cita", "meeting": "cita"}
    assistant = taught({"appointment": ["book an appointment"], "meeting": ["quiero una reunión"]}, titles, language)

    understanding = await heard(assistant, "cita")

    assert understanding.commands == (Clarify(("appointment", "meeting")),)


async def test_the_same_flow_in_another_language_is_found_by_its_own_words() -> None:
    assistant = taught({"appointment": ["book an appointment"], "cita": ["quiero pedir una cita"]})

    in_english, in_spanish = await heard(assistant, "book an appointment"), await heard(assistant, "pedir una cita")

    assert in_english.commands == (StartFlow("appointment"),)
    assert in_spanish.commands == (StartFlow("cita"),)
