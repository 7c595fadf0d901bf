"""One message asks for the same flow several times: how it is understood, without and with a language model."""

from dataclasses import replace

import pytest

from dialogue.engine.ports.commands import SetSlot, StartFlow
from dialogue.nlu.llm.model_answer import Said, read_commands
from dialogue.nlu.slots.utterance import read_utterance
from tests.nlu.dialogues.test_needs import parcels
from tests.support.nlu.situations import assistant_named, nlu_of, situation

PARCELS = assistant_named("parcels")


async def commands_for(text: str, language: str = "en"):
    context = replace(situation(PARCELS), language=language)
    return (await nlu_of("parcels").understand(text, context)).commands


@pytest.mark.parametrize(
    "text",
    [
        "stop parcels W1001 and W1002",
        "please stop parcel W1001 and parcel W1002",
        "I no longer want parcels W1001 and W1002",
        "stop W1001 and also stop W1002",
    ],
)
async def test_each_value_asks_for_a_run_of_its_own(text: str) -> None:
    commands = [command for command in await commands_for(text) if not isinstance(command, StartFlow)]
    assert [(command.slot, command.value) for command in commands] == [("parcel", "W1001"), ("parcel", "W1002")]


async def test_two_values_in_spanish_are_two_runs() -> None:
    commands = await commands_for("detenga los paquetes W1001 y W1002", "es")

    assert [command.value for command in commands if isinstance(command, SetSlot)] == ["W1001", "W1002"]


async def test_three_values_are_three_runs() -> None:
    commands = await commands_for("stop parcels W1001, W1002 and W1003")

    assert [command.flow for command in commands if isinstance(command, StartFlow)] == ["stop_parcel"] * 3


@pytest.mark.parametrize("text", ["stop parcel W1001 or W1002", "stop W1001, not W1002", "stop parcel W1001 and W1001"])
async def test_an_alternative_a_refusal_and_a_repetition_are_no_further_runs(text: str) -> None:
    assert [command for command in await commands_for(text) if isinstance(command, StartFlow)] == [
        StartFlow("stop_parcel")
    ]


async def test_two_flows_and_two_runs_in_one_message() -> None:
    commands = await commands_for("stop parcels W1001 and W1002 and then tell me where W1003 is")

    flows = [command.flow for command in commands if isinstance(command, StartFlow)]
    assert flows == ["stop_parcel", "stop_parcel", "track_parcel"]


async def test_the_runs_are_told_apart_in_the_talk() -> None:
    talk = parcels()
    await talk.hears("track parcel W1009")

    assert await talk.hears("stop parcels W1001 and W1002") == ["plan", "ask:email"]
    assert talk.texts[0] == "One after the other: stop a parcel (W1001), stop a parcel (W1002)."
    assert await talk.hears("ann@example.com", "80204") == ["say:found", "confirm:stop_parcel"]
    assert await talk.hears("sorry, not W1002 but W1004") == ["corrected:parcel", "confirm:stop_parcel"]
    assert await talk.hears("forget W1001") == ["cancelled:stop_parcel", "confirm:stop_parcel"]
    assert talk.texts[-1] == "Stop W1004 of Ann?"


def test_a_language_model_may_start_a_flow_again_with_other_values() -> None:
    said = read_utterance(
        "stop W1001 and W1002, both to a@x.com", situation(PARCELS), nlu_of("parcels").assistant_index
    )
    answer = [
        Said(command="start_flow", name="stop_parcel"),
        Said(command="set_slot", name="parcel", value="W1001"),
        Said(command="set_slot", name="notify", value="a@x.com"),
        Said(command="start_flow", name="stop_parcel"),
        Said(command="set_slot", name="parcel", value="W1002"),
        Said(command="set_slot", name="notify", value="a@x.com"),
    ]

    commands = read_commands(answer, said, str)
    assert [type(command) for command in commands] == [StartFlow, SetSlot, SetSlot] * 2


def test_a_language_model_s_repetitions_are_still_one_run() -> None:
    said = read_utterance("stop W1001", situation(PARCELS), nlu_of("parcels").assistant_index)
    answer = [Said(command="start_flow", name="stop_parcel"), Said(command="set_slot", name="parcel", value="W1001")]

    assert len(read_commands([*answer, *answer], said, str)) == 2
