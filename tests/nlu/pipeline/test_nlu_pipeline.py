import json

import pytest

from dialogue.engine.ports.commands import CannotHandle, SetSlot, StartFlow
from dialogue.engine.understanding import Understanding, Usage
from dialogue.nlu import NoSuchMode, build_nlu
from dialogue.nlu.pipeline.nlu_pipeline import NLUPipeline
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.slots.utterance import Utterance
from tests.support import hostile
from tests.support.nlu.situations import assistant_named, nlu_of, situation

LIBRARY = assistant_named("library")


class Guessing:
    """A part that always says the same."""

    name = "guessing"

    def __init__(self, proposal: Proposal) -> None:
        self._proposal = proposal

    async def propose(self, said: Utterance) -> Proposal | None:
        return self._proposal


async def test_the_path_names_every_part_that_was_asked() -> None:
    understanding = await nlu_of("library").understand("The Waves", situation(LIBRARY, "reserve_book?title"))

    assert [entry.part for entry in understanding.path] == ["structured", "rules", "learned", "leftover"]
    assert all(entry.milliseconds >= 0 for entry in understanding.path)


async def test_a_whole_answer_needs_no_more_than_rules() -> None:
    understanding = await nlu_of("library").understand("HILLCREST!", situation(LIBRARY, "reserve_book?pickup"))

    assert understanding.path[-1].part == "rules"
    assert understanding.commands == (SetSlot("pickup", "hillcrest", "HILLCREST"),)


async def test_rules_alone_start_no_flow() -> None:
    rules = build_nlu(LIBRARY, "rules")

    understanding = await rules.understand("reserve a book", situation(LIBRARY))

    assert understanding.commands == (CannotHandle("not understood"),)


async def test_what_a_part_makes_up_is_dropped_and_the_next_is_asked() -> None:
    made_up = Guessing(Proposal((StartFlow("steal_book"),), usage=Usage(calls=1, prompt_tokens=9)))
    sure = Guessing(Proposal((StartFlow("pay_fine"),)))
    chain = NLUPipeline(nlu_of("library").assistant_index, [made_up, sure])

    understanding = await chain.understand("hello", situation(LIBRARY))

    assert understanding.commands == (StartFlow("pay_fine"),)
    assert [dropped.command for dropped in understanding.dropped] == [StartFlow("steal_book")]
    assert understanding.usage.calls == 1


async def test_an_unsure_proposal_counts_when_nobody_is_sure() -> None:
    unsure = Guessing(Proposal((StartFlow("pay_fine"),), 0.3, decided=False))
    chain = NLUPipeline(nlu_of("library").assistant_index, [unsure])

    understanding = await chain.understand("hello", situation(LIBRARY))

    assert (understanding.commands, understanding.confidence) == ((StartFlow("pay_fine"),), 0.3)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "empty message"), ("a" * 4_001, "message too long"), ("@g12 yes", "a line for a gate")],
)
async def test_what_is_no_message_needs_no_model(text: str, reason: str) -> None:
    understanding = await nlu_of("library").understand(text, situation(LIBRARY))

    assert understanding.commands == (CannotHandle(reason),)
    assert [entry.part for entry in understanding.path] == ["structured"]


@pytest.mark.parametrize("text", ["...", "!!!", "👍"])
async def test_a_message_without_any_word_breaks_no_question_about_a_person(text: str) -> None:
    bank = assistant_named("bank")

    understanding = await nlu_of("bank").understand(text, situation(bank, "transfer_money?beneficiary"))

    assert understanding.commands == (CannotHandle("not understood"),)


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(NoSuchMode):
        build_nlu(LIBRARY, "magic")


@pytest.mark.parametrize("text", hostile.MESSAGES.values(), ids=hostile.MESSAGES)
async def test_the_longest_messages_have_an_answer(text: str) -> None:
    understanding = await nlu_of("library").understand(text, situation(LIBRARY, "reserve_book?email"))

    assert understanding.commands


async def test_what_is_not_understood_names_the_nearest_example_its_score_and_the_scores_that_decide() -> None:
    understanding = await nlu_of("library").understand("my cat has a book about quantum fines", situation(LIBRARY))

    nearest = {entry.part: entry.nearest for entry in understanding.path}["learned"]
    assert nearest is not None
    flow = LIBRARY.flows[nearest.label.removeprefix("flow ")]
    assert nearest.example in {*flow.examples, flow.title, flow.description}
    assert 0 < nearest.score < nearest.accept
    assert nearest.ask < nearest.accept


async def test_words_without_any_likeness_have_no_nearest_example() -> None:
    understanding = await nlu_of("library").understand("zzyzx", situation(LIBRARY))

    nearest = {entry.part: entry.nearest for entry in understanding.path}["learned"]
    assert nearest is not None
    assert (nearest.label, nearest.example, nearest.score) == ("", "", 0.0)


async def test_the_nearest_example_is_written_as_plain_json_and_read_again() -> None:
    understanding = await nlu_of("library").understand("zzyzx", situation(LIBRARY))

    plain = json.loads(json.dumps(understanding.to_json()))
    assert plain["path"][2]["nearest"]["score"] == 0.0
    assert Understanding.from_json(plain).path == understanding.path


async def test_what_is_understood_is_not_compared_once_more() -> None:
    understanding = await nlu_of("library").understand("I want to pay my fine", situation(LIBRARY))

    assert all(entry.nearest is None for entry in understanding.path)
    assert "nearest" not in str(understanding.to_json())


BANK = assistant_named("bank")


@pytest.mark.parametrize("message", ["cuál es mi saldo", "¿cuánto hay en mi cuenta?"])
async def test_a_spanish_message_is_understood_in_an_english_conversation(message: str) -> None:
    understanding = await nlu_of("bank").understand(message, situation(BANK))

    assert understanding.commands == (StartFlow("check_balance"),)


async def test_a_spanish_yes_answers_an_english_question() -> None:
    understanding = await nlu_of("bank").understand("sí", situation(BANK, "transfer_money!confirm"))

    assert not any(isinstance(command, CannotHandle) for command in understanding.commands)


@pytest.mark.parametrize("message", ["sí", "Sí, gracias", "claro que sí"])
async def test_a_spanish_yes_is_not_a_name_in_an_english_conversation(message: str) -> None:
    understanding = await nlu_of("bank").understand(message, situation(BANK, "transfer_money?beneficiary"))

    assert not any(isinstance(command, SetSlot) for command in understanding.commands)


async def test_a_number_that_spanish_writes_differently_is_not_read_as_spanish() -> None:
    understanding = await nlu_of("bank").understand("cuál es mi saldo el 3/4", situation(BANK))

    assert understanding.commands == (CannotHandle("not understood"),)
