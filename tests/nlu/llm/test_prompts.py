"""What a language model is shown: as much among a thousand flows as among a hundred."""

from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.nlu import build_nlu
from dialogue.nlu.llm.prompts import MAX_FLOWS, build_prompt, describe_flows
from dialogue.nlu.slots.utterance import Utterance, read_utterance
from tests.support.nlu.situations import assistant_named, situation

THINGS = ("boat", "piano", "garden", "passport", "kettle", "violin", "tent", "carpet", "lamp", "saddle")
DEEDS = ("rent", "sell", "repair", "paint", "insure", "clean", "weigh", "photograph", "lend", "store")


def assistant_with(flows: int) -> Assistant:
    """ "rent_boat_3": every deed with every thing, in as many places as it takes."""
    documents = {"assistant.yaml": "{version: 1, assistant: many, title: Many, description: Much, language: en}"}
    for number in range(flows):
        deed, thing, place = DEEDS[number % 10], THINGS[number // 10 % 10], number // 100
        name = f"{deed}_{thing}_{place}"
        documents[f"{name}.yaml"] = (
            f"{{flow: {name}, title: {deed} a {thing}, description: '{deed} a {thing} in district {place}',"
            f" examples: ['{deed} my {thing}', 'I want to {deed} a {thing} in district {place}'],"
            f" slots: {{day: {{type: date, prompt: When?}}}},"
            f" steps: [{{step: ask, type: collect, slot: day}}]}}"
        )
    return load_assistant(documents)


def said_to(assistant: Assistant, text: str) -> Utterance:
    return read_utterance(text, situation(assistant), build_nlu(assistant, "learned").assistant_index)


def test_a_thousand_flows_make_no_longer_prompt_than_a_hundred() -> None:
    sizes = []
    for flows in (100, 1_000):
        prompt = build_prompt(said_to(assistant_with(flows), "could somebody repair the piano of my aunt"))
        sizes.append(len("".join(prompt.fields().values())))

    assert abs(sizes[1] - sizes[0]) < 0.2 * sizes[0]


def test_ten_flows_are_shown_and_the_likeliest_with_their_slots() -> None:
    shown = describe_flows(said_to(assistant_with(100), "repair the piano"))

    assert len(shown) == MAX_FLOWS
    assert shown[0]["flow"] == "repair_piano_0"
    assert [("slots" in flow) for flow in shown] == [True] * 3 + [False] * 7


def test_the_running_flow_is_always_shown_with_its_slots() -> None:
    bank = assistant_named("bank")
    said = read_utterance("block my card", situation(bank, "transfer_money?amount"), build_nlu(bank).assistant_index)

    first = describe_flows(said)[0]

    assert first["flow"] == "transfer_money"
    assert "amount" in [slot["slot"] for slot in first["slots"]]
