"""What authors are told about their examples, slots and options."""

import json
from typing import Any

from dialogue.engine.language.compiler import load_assistant
from dialogue.nlu.slots.assistant_index import AssistantIndex
from dialogue.nlu.training.authoring import FlowAdvice, advise_flows

HEAD = {"version": 1, "assistant": "shop", "title": "Shop", "language": "en"}


def flow(name: str, examples: list[str], slots: dict[str, Any] | None = None) -> str:
    steps = [{"step": f"ask_{slot}", "type": "collect", "slot": slot} for slot in slots or {}]
    end = {"step": "done", "type": "say", "message": "Done."}
    document = {"flow": name, "title": name, "description": name, "examples": examples, "slots": slots or {}}
    return json.dumps({**document, "steps": [*steps, end]})


def advice(**flows: str) -> dict[str, FlowAdvice]:
    documents = {"assistant.yaml": json.dumps(HEAD), **{f"{name}.yaml": text for name, text in flows.items()}}
    return {advice.flow: advice for advice in advise_flows(AssistantIndex(load_assistant(documents)))}


def test_an_example_that_is_nearer_to_another_flow_is_named_with_its_neighbour() -> None:
    advised = advice(
        send_back=flow("send_back", ["send it back", "I want to send this back", "track the parcel of my order"]),
        track=flow("track", ["track my parcel", "track the parcel", "where is the parcel of my order"]),
    )

    (close,) = advised["send_back"].close_examples
    assert (close.example, close.other) == ("track the parcel of my order", "track")
    assert close.other_example in ("track the parcel", "where is the parcel of my order")
    assert advised["send_back"].recognised < advised["send_back"].examples == 3


def test_flows_with_words_of_their_own_have_a_full_score_and_no_finding() -> None:
    advised = advice(
        pay=flow("pay", ["pay the bill", "I want to pay the bill", "pay my bill now"]),
        track=flow("track", ["track a parcel", "where is the parcel", "track my parcel please"]),
    )

    counts = [(flow.recognised, flow.examples, flow.has_findings) for flow in advised.values()]
    assert counts == [(3, 3, False), (3, 3, False)]


def test_a_flow_with_few_examples_that_find_it_needs_more() -> None:
    advised = advice(
        note=flow("note", ["take a note"]),
        pay=flow("pay", ["pay the bill", "settle up now", "transfer some money"]),
        track=flow("track", ["track a parcel", "where is the parcel", "track my parcel please"]),
    )

    assert {name: flow.needs_examples for name, flow in advised.items()} == {"note": True, "pay": True, "track": False}


def test_slots_whose_description_says_no_more_than_their_name_are_listed() -> None:
    slots = {
        "reason": {"type": "text"},
        "note": {"type": "text", "description": "the note"},
        "size": {"type": "text", "prompt": "How large is it?"},
    }

    assert advice(pay=flow("pay", ["pay the bill"], slots))["pay"].slots_without_help == ("reason", "note")


def test_options_without_synonyms_are_listed_unless_their_label_has_several_words() -> None:
    options = ["red", {"value": "blue", "synonyms": ["navy"]}, {"value": "g", "label": "dark green"}, "2024"]
    slots = {"colour": {"type": "choice", "options": options, "prompt": "Which colour?"}}

    assert advice(pay=flow("pay", ["pay the bill"], slots))["pay"].bare_options == ("colour: red",)


FILM_SLOTS = {
    "title": {"type": "text", "prompt": "Which film?"},
    "place": {"type": "text", "prompt": "In which town?"},
    "day": {"type": "date", "prompt": "On which day?"},
}


def test_free_texts_that_stand_in_braces_in_every_example_are_listed() -> None:
    examples = ["find {title}", "where is {title} shown in {place} on {day}?", "is {title} on in Leeds?"]

    advised = advice(find=flow("find", examples, FILM_SLOTS))["find"]

    assert advised.slots_in_braces == ("title", "place")
    assert advised.has_findings


def test_one_example_with_a_real_value_is_enough_to_list_none() -> None:
    examples = ["find {title}", "where is {title} shown on {day}?", "is the film Casablanca on in Leeds?"]

    assert advice(find=flow("find", examples, FILM_SLOTS))["find"].slots_in_braces == ()


def test_dates_in_braces_need_no_real_values() -> None:
    examples = ["what is on the screen on {day}?", "films on {day}", "show the films of {day}"]

    assert advice(find=flow("find", examples, FILM_SLOTS))["find"].slots_in_braces == ()


def test_a_flow_without_examples_has_no_free_texts_in_braces() -> None:
    assert advice(find=flow("find", [], FILM_SLOTS))["find"].slots_in_braces == ()


def test_only_the_flows_that_are_asked_for_are_examined() -> None:
    documents = {
        "assistant.yaml": json.dumps(HEAD),
        "pay.yaml": flow("pay", ["pay the bill"]),
        "track.yaml": flow("track", ["track it"]),
    }
    index = AssistantIndex(load_assistant(documents))

    assert [advice.flow for advice in advise_flows(index, ["track"])] == ["track"]


def test_a_flow_without_examples_is_a_finding() -> None:
    assert advice(pay=flow("pay", []), track=flow("track", ["track it"]))["pay"].has_findings
