"""When the language model is asked although what was learned has an answer: something is left unexplained."""

from collections.abc import Iterator

import pytest

from dialogue.engine.commands import SetSlot, StartFlow
from dialogue.nlu import Chain, build_nlu
from dialogue.nlu.language_model import breaker_of
from dialogue.nlu.settings import NLUSettings
from tests.nlu.recorded import Answer, Recorded, commands, recorded_server
from tests.nlu.situations import assistant_named, situation

BANK = assistant_named("bank")
LONGER = "send 50 euros to Bob before Christmas at Harrods"


@pytest.fixture
def server() -> Iterator[Recorded]:
    with recorded_server() as recorded:
        yield recorded
    breaker_of.cache_clear()


def bank_with(server: Recorded) -> Chain:
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
