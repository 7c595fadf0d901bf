"""Messages around a needed flow: what belongs to it, and what to the flow that waits for it."""

from dataclasses import replace

import pytest

from dialogue.engine.ports.commands import CorrectSlot, SetSlot
from dialogue.nlu.llm.prompts import describe_flows
from dialogue.nlu.readers.command_filter import filter_commands
from dialogue.nlu.slots.utterance import read_utterance
from tests.nlu.dialogues.test_whole_talks import Understood
from tests.support.nlu.situations import assistant_named, nlu_of, situation

PARCELS = assistant_named("parcels")
FOUND = {"find_customer": [{"returns": {"customer": "Ann"}}]}


def parcels() -> Understood:
    talk = Understood("parcels")
    talk.actions._stubs = FOUND
    return talk


async def test_values_of_the_opening_are_kept_for_both_flows() -> None:
    talk = parcels()

    assert await talk.hears("please stop parcel W1001, my zip code is 80204") == ["ask:email"]
    assert (talk.value("identify.zip"), talk.value("stop_parcel.parcel")) == ("80204", "W1001")
    assert await talk.hears("ann@example.com") == ["say:found", "confirm:stop_parcel"]


async def test_an_answer_to_the_needed_flow_is_not_read_as_something_of_the_waiting_one() -> None:
    talk = parcels()
    await talk.hears("stop parcel W1001")

    assert await talk.hears("ann@example.com") == ["ask:zip"]
    assert talk.value("stop_parcel.notify") is None
    assert await talk.hears("it is 80204, for the parcel W1001") == ["say:found", "confirm:stop_parcel"]


async def test_a_clear_correction_of_the_waiting_flow_is_taken() -> None:
    talk = parcels()
    await talk.hears("stop parcel W1001")

    assert await talk.hears("no, not W1001 but W1002") == ["corrected:parcel", "ask:email"]
    assert talk.value("stop_parcel.parcel") == "W1002"


@pytest.mark.parametrize("text", ["cancel", "never mind"])
async def test_cancelling_ends_the_flow_that_cannot_do_without_it(text: str) -> None:
    talk = parcels()
    await talk.hears("stop parcel W1001")

    assert await talk.hears(text) == ["need_not_met:stop_parcel"]


async def test_a_corrected_address_finds_the_customer_again() -> None:
    talk = parcels()
    await talk.hears("stop parcel W1001", "ann@example.com", "80204")
    talk.actions._stubs = {"find_customer": [{"returns": {"customer": "Bob"}}]}

    assert await talk.hears("sorry, my e-mail address is bob@example.com") == ["corrected:email", "ask:zip"]
    assert await talk.hears("80204") == ["say:found", "confirm:stop_parcel"]
    assert talk.texts[-1] == "Stop W1001 of Bob?"


def test_a_language_model_is_told_of_the_slots_of_the_needed_flow() -> None:
    said = read_utterance("stop W1001", situation(PARCELS), nlu_of("parcels").assistant_index)

    described = {flow["flow"]: flow for flow in describe_flows(said)}
    assert [slot["slot"] for slot in described["stop_parcel"]["slots"]] == ["parcel", "notify", "email", "zip"]


def test_a_language_model_may_not_set_slots_of_the_flow_that_waits_but_may_correct_them() -> None:
    context = situation(PARCELS, "stop_parcel", "identify?email")
    waiting = replace(context.stack[0], status="needing")
    said = read_utterance(
        "W1002, not W1001", replace(context, stack=(waiting, context.stack[1])), nlu_of("parcels").assistant_index
    )

    commands = (SetSlot("parcel", "W1002", "W1002"), CorrectSlot("parcel", "W1002", "W1002"))
    assert filter_commands(commands, said)[0] == commands[1:]
