"""When the language model is asked although what was learned has an answer: something is left unexplained."""

from collections.abc import Iterator

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import CannotHandle, CorrectSlot, SetSlot, StartFlow
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.llm.component import breaker_for
from dialogue.nlu.pipeline.confidence import WEIGHTS, is_doubtful
from dialogue.nlu.pipeline.doubt_features import doubt_features
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.slots.utterance import read_utterance
from tests.support.nlu.recorded_server import Answer, Recorded, commands, recorded_server
from tests.support.nlu.situations import assistant_named, situation

BANK = assistant_named("bank")
LONGER = "send 50 euros to Bob before Christmas at Harrods"


@pytest.fixture
def server() -> Iterator[Recorded]:
    with recorded_server() as recorded:
        yield recorded
    breaker_for.cache_clear()


def bank_with(server: Recorded) -> NLUPipeline:
    return build_nlu(BANK, "auto", NLUSettings(model="openai/tiny", api_base=server.address, api_key="key"))


@pytest.mark.parametrize(
    ("text", "stack"),
    [
        ("send 50 euros to Bob", ()),
        ("what is my balance and then make a transfer", ()),
        ("to my landlord please", ("transfer_money?beneficiary",)),
        ("two thousand five hundred", ("transfer_money?amount",)),
        ("make it 60 euros", ("transfer_money!confirm",)),
        ("thanks for all your help, that's all for now", ()),
        ("hmm", ("transfer_money?beneficiary",)),
        ("my IBAN is DE89370400440532013000", ("transfer_money?beneficiary",)),
        ("The Friends of the Old Harbour", ("transfer_money?beneficiary",)),
    ],
)
async def test_a_message_that_is_explained_word_for_word_needs_no_model(
    server: Recorded, text: str, stack: tuple[str, ...]
) -> None:
    await bank_with(server).understand(text, situation(BANK, *stack))

    assert server.asked == []


@pytest.mark.parametrize(
    "text",
    [
        "I already told you",
        "I don't want to say",
        "is this secure",
        "the amount is what we agreed on",
        "the man who painted our house last summer",
    ],
)
async def test_what_may_be_no_answer_to_a_question_for_any_text_is_asked_about(server: Recorded, text: str) -> None:
    server.will_say(commands(("cannot_handle",)))

    understanding = await bank_with(server).understand(text, situation(BANK, "transfer_money?beneficiary"))

    assert len(server.asked) == 1
    assert understanding.commands == (CannotHandle(),)


async def test_what_a_model_takes_for_the_answer_is_no_value_where_it_is_plainly_something_else(
    server: Recorded,
) -> None:
    text = "the amount is what we agreed on"
    server.will_say(commands(("set_slot", "beneficiary", text)))

    understanding = await bank_with(server).understand(text, situation(BANK, "transfer_money?beneficiary"))

    assert not any(isinstance(command, SetSlot) for command in understanding.commands)
    assert understanding.dropped[-1].reason == "the words speak of another slot"


async def test_a_model_changes_no_value_by_accident_that_staff_are_looking_at(server: Recorded) -> None:
    filled = {"transfer_money.beneficiary": "Bob", "transfer_money.amount": "50.00"}
    server.will_say(commands(("correct_slot", "amount", "300")))

    understanding = await bank_with(server).understand(
        "it took my brother 300 days to pay me back", situation(BANK, "transfer_money!human", filled=filled)
    )

    assert not any(isinstance(command, CorrectSlot) for command in understanding.commands)
    assert "staff are looking at this value" in understanding.dropped[-1].reason


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LONGER, id="a name"),
        pytest.param("send 50 euros to Bob, reference 8841", id="a number"),
        pytest.param("block my card because yesterday on the bus somebody stole my wallet", id="other words"),
    ],
)
async def test_what_is_left_over_is_asked_about(server: Recorded, text: str) -> None:
    server.will_say(commands(("start_flow", "block_card")))

    understanding = await bank_with(server).understand(text, situation(BANK))

    assert len(server.asked) == 1
    assert understanding.commands == (StartFlow("block_card"),)


async def test_when_the_model_fails_the_doubtful_reading_serves(server: Recorded) -> None:
    server.will_say(Answer(status=500))

    understanding = await bank_with(server).understand(LONGER, situation(BANK))

    assert understanding.commands == (
        StartFlow("transfer_money"),
        SetSlot("beneficiary", "Bob", "Bob"),
        SetSlot("amount", "50", "50 euros"),
    )
    assert [entry.part for entry in understanding.path][-2:] == ["cache", "llm"]


async def test_without_a_model_nobody_doubts() -> None:
    understanding = await build_nlu(BANK, "auto").understand(LONGER, situation(BANK))

    assert understanding.path[-1].part == "learned"
    assert StartFlow("transfer_money") in understanding.commands


HOTEL = load_assistant(
    {
        "assistant.yaml": "{version: 1, assistant: hotel, title: Hotel, description: Rooms., language: en}",
        "book.yaml": """
flow: book
title: Book a room
description: Book a hotel room.
examples: [book a room, I need a hotel]
slots:
  place: {type: text, description: The city, prompt: In which city?}
  nights: {type: integer, description: How many nights, prompt: How many nights?}
  smoking_allowed: {type: boolean, description: Whether smoking is allowed, prompt: Do you smoke?}
steps:
  - {step: ask_place, type: collect, slot: place}
  - {step: ask_nights, type: collect, slot: nights}
  - {step: ask_smoking, type: collect, slot: smoking_allowed}
""",
    }
)


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("three nights", False),
        ("for three nights please", False),
        ("three nights, and smoking allowed or not is one to me and my Aunt Clara", True),
        ("three, and smoking must be allowed where we sleep, and at breakfast too", True),
    ],
)
async def test_a_reading_that_leaves_a_named_slot_alone_is_in_doubt(
    server: Recorded, text: str, is_asked: bool
) -> None:
    server.will_say(commands(("set_slot", "nights", "three")))
    nlu = build_nlu(HOTEL, "auto", NLUSettings(model="openai/tiny", api_base=server.address, api_key="key"))

    await nlu.understand(text, situation(HOTEL, "book?nights"))

    assert bool(server.asked) is is_asked


def test_every_weight_is_one_of_a_sign_and_the_signs_are_shares() -> None:
    said = read_utterance(LONGER, situation(BANK), build_nlu(BANK).assistant_index)

    features = doubt_features(Proposal((StartFlow("transfer_money"),)), said)

    assert features.keys() == WEIGHTS.keys()
    assert all(0 <= sign <= 1 for sign in features.values())
    assert features["unexplained_name"] == 1


def test_a_list_of_values_can_be_doubted() -> None:
    said = read_utterance("cheese and ham", situation(BANK), build_nlu(BANK).assistant_index)

    assert is_doubtful(Proposal((SetSlot("toppings", ["cheese", "ham"], "cheese and ham"),)), said) is False
