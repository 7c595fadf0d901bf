"""A confirm with answers beside yes and no is understood in words, and a model may give no other."""

import json

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import Affirm, Choose, Command, Deny
from dialogue.nlu import build_nlu
from dialogue.nlu.llm.model_answer import Said, read_commands
from dialogue.nlu.llm.prompts import build_prompt
from dialogue.nlu.readers.command_filter import filter_commands
from dialogue.nlu.slots.utterance import read_utterance
from tests.engine.dialogue.test_answers import PAY
from tests.support.engine.small_flows import documents
from tests.support.nlu.situations import situation

SHOP = load_assistant(documents(PAY))
NLU = build_nlu(SHOP, "learned")
ASKED = situation(SHOP, "pay!confirm")


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Pay tomorrow", Choose("later")),
        ("pay tomorrow please", Choose("later")),
        ("not today", Choose("later")),
        ("Other!", Choose("other")),
        ("yes", Affirm()),
        ("no", Deny()),
    ],
)
async def test_an_answer_is_heard_by_its_label_its_value_or_another_word_for_it(text: str, command: Command) -> None:
    assert (await NLU.understand(text, ASKED)).commands == (command,)


@pytest.mark.parametrize("text", ["pay tomorrow or maybe not", "who pays tomorrow?", "never"])
async def test_more_than_the_answer_is_not_taken_for_it(text: str) -> None:
    assert not [each for each in (await NLU.understand(text, ASKED)).commands if isinstance(each, Choose)]


async def test_without_a_confirm_the_words_answer_nothing() -> None:
    understanding = await NLU.understand("not today", situation(SHOP, "pay?amount"))

    assert not [each for each in understanding.commands if isinstance(each, Choose)]


def test_a_model_is_shown_the_answers_and_may_give_no_other() -> None:
    said = read_utterance("tomorrow", ASKED, NLU.assistant_index)

    shown = json.loads(build_prompt(said).situation)["awaited"]
    assert shown == {
        "confirm": "pay",
        "answers": {"yes": "Yes", "no": "No", "later": "Pay tomorrow", "other": "other"},
    }
    told = [
        Said(command="choose", name="later"),
        Said(command="choose", name="never"),
        Said(command="choose", name="yes"),
    ]
    kept, dropped = filter_commands(read_commands(told, said, str), said)
    assert kept == (Choose("later"),)
    assert [each.reason for each in dropped] == ["never is not an answer here", "yes is not an answer here"]
