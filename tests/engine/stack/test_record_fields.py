"""A record is filled field by field: what is missing is asked for, and one field is corrected alone."""

import random
from typing import Any

import pytest

from dialogue.engine.stack.filling.record_fields import missing_field
from tests.support.engine.dialogue_harness import Talk, assistant_of

HEAD = """\
records:
  address:
    fields:
      street: {type: text, prompt: Which street?}
      zip: {type: text, pattern: "[0-9]{5}", prompt: Which zip code?, description: the zip code, invalid: "{value} is no zip code."}
      gate: {type: boolean, prompt: Is there a gate?}
      place: place
      note: optional text
    label: "{street}, {zip} {place.city}"
  place: {fields: {city: {type: text, prompt: Which city?}, country: optional text}}
slots:
  home: {type: address, prompt: Where do you live?, required: false}
actions:
  ship: {inputs: {address: address}, outputs: {}, effect: none}
"""  # noqa: E501

SEND = """\
flow: send
description: Send a parcel.
slots:
  address: {type: address, prompt: Where to?}
  weight: {type: number, prompt: How heavy?}
steps:
  - {step: where, type: collect, slot: address}
  - {step: heavy, type: collect, slot: weight}
  - {step: near, type: branch, cases: [{when: weight > 100, next: sure}]}
  - {step: ship, type: action, call: ship, on_error: sure}
  - {step: sure, type: confirm, message: "Send to {address}, zip {address.zip}, {address.place.city}?"}
"""

WHOLE = {"street": "12 Pine St", "zip": "80204", "gate": False, "place": {"city": "Denver"}}
STORED = {**WHOLE, "place": {"city": "Denver", "country": None}, "note": None}


ADDRESS = assistant_of(SEND, head=HEAD).flows["send"].slots["address"]


def parcel(flow: str = SEND, head: str = HEAD) -> Talk:
    return Talk(assistant_of(flow, head=head), {"ship": [{"returns": {}}]})


async def started(*commands: Any, flow: str = SEND) -> Talk:
    talk = parcel(flow)
    await talk.does({"start_flow": "send"}, *commands)
    return talk


async def at_the_confirmation() -> Talk:
    talk = await started({"set_slot": {"address": WHOLE, "weight": 2}})
    assert talk.stack == ["send!confirm"]
    return talk


async def test_a_field_with_a_default_is_not_asked_for():
    head = HEAD.replace("country: optional text", "country: {type: text, default: USA}")
    talk = parcel(head=head)
    await talk.does({"start_flow": "send"}, {"set_slot": {"address": WHOLE}})

    assert talk.value("send.address")["place"] == {"city": "Denver", "country": "USA"}

    await talk.does({"correct_slot": {"address.place.country": "Canada"}})
    assert talk.value("send.address")["place"] == {"city": "Denver", "country": "Canada"}


async def test_a_whole_record_is_one_answer():
    talk = await started()
    assert talk.texts == ["Where to?"]

    assert await talk.does({"set_slot": {"address": WHOLE}}) == ["ask:weight"]
    assert talk.value("send.address") == STORED


async def test_the_missing_fields_are_asked_for_one_at_a_time_in_their_order():
    talk = await started()

    assert await talk.does({"set_slot": {"address": {"zip": "80204"}}}) == ["ask:address.street"]
    assert (talk.texts, talk.stack) == (["Which street?"], ["send?address.street"])
    assert await talk.does({"set_slot": {"address.street": "12 Pine St"}}) == ["ask:address.gate"]
    assert talk.outcome.awaited is not None and [button.label for button in talk.outcome.messages[-1].buttons] == [
        "yes",
        "no",
    ]
    assert await talk.does("deny") == ["ask:address.place.city"]
    assert talk.value("send.address") is None
    assert await talk.does({"set_slot": {"address.place.city": "Denver"}}) == ["ask:weight"]
    assert talk.value("send.address") == STORED


async def test_each_question_is_a_pause_of_its_own():
    talk = await started()
    first = talk.outcome.awaited
    await talk.does({"set_slot": {"address.zip": "80204"}})

    assert first is not None and talk.outcome.awaited is not None
    assert talk.settled() == [(first.key, "voided")]
    assert talk.outcome.awaited.key != first.key


async def test_what_fits_is_kept_and_only_the_refused_field_is_asked_for_again():
    talk = await started()

    assert await talk.does({"set_slot": {"address": {**WHOLE, "zip": "8020"}}}) == [
        "rejected:address",
        "ask:address.zip",
    ]
    assert talk.texts == ["8020 is no zip code.", "Which zip code?"]
    assert await talk.does({"set_slot": {"address.zip": "x"}}) == ["rejected:address.zip", "ask:address.zip"]
    assert await talk.does({"set_slot": {"address.zip": "80204"}}) == ["ask:weight"]
    assert talk.value("send.address") == STORED


async def test_a_field_that_the_record_does_not_have_is_refused():
    talk = await started()

    assert await talk.does({"set_slot": {"address": {"colour": "red"}}}) == ["rejected:address", "ask:address"]
    assert talk.texts[0] == "There is no field “colour” here."
    assert await talk.does({"set_slot": {"address.colour": "red"}}) == ["cannot_handle", "ask:address"]
    assert [dropped["reason"] for dropped in talk.outcome.record["dropped"]] == ["unknown_slot"]


async def test_fields_said_ahead_of_the_question_leave_only_the_others_to_ask():
    talk = await started({"set_slot": {"address.zip": "80204", "address.street": "12 Pine St"}})

    assert talk.keys == ["ask:address.gate"]


async def test_a_field_is_corrected_while_the_others_are_asked_for():
    talk = await started({"set_slot": {"address.zip": "80204"}})

    assert await talk.does({"correct_slot": {"address.zip": "80205"}}) == [
        "corrected:address.zip",
        "ask:address.street",
    ]
    assert talk.texts[0] == "All right, zip is now 80205."


async def test_one_field_of_a_filled_record_is_corrected_and_what_showed_it_is_asked_again():
    talk = await at_the_confirmation()

    assert await talk.does({"correct_slot": {"address.zip": "80205"}}) == ["corrected:address.zip", "confirm:send"]
    assert talk.texts == [
        "All right, zip is now 80205.",
        "Send to 12 Pine St, 80205 Denver, zip 80205, Denver?",
    ]
    assert talk.value("send.address") == {**STORED, "zip": "80205"}
    assert [inputs["address"]["zip"] for inputs in talk.actions.inputs_of("ship")] == ["80204", "80205"]


async def test_a_part_of_a_filled_record_corrects_those_fields_only():
    talk = await at_the_confirmation()

    await talk.does({"correct_slot": {"address": {"place": {"city": "Boulder"}, "zip": "80301"}}})

    assert talk.value("send.address") == {**STORED, "zip": "80301", "place": {"city": "Boulder", "country": None}}


async def test_a_step_that_reads_another_field_only_is_not_repeated():
    flow = SEND.replace("when: weight > 100", "when: weight > 100 and filled(address)").replace(
        "- {step: near", '- {step: told, type: say, message: "City {address.place.city}"}\n  - {step: near'
    )
    talk = await started({"set_slot": {"address": WHOLE, "weight": 2}}, flow=flow)

    assert await talk.does({"correct_slot": {"address.zip": "80205"}}) == ["corrected:address.zip", "confirm:send"]


async def test_the_same_value_of_a_field_has_no_effect():
    talk = await at_the_confirmation()

    assert await talk.does({"correct_slot": {"address.zip": "80204"}}) == ["confirm:send"]
    assert talk.settled() == []


async def test_a_required_field_that_is_emptied_is_asked_for_and_the_others_stay():
    talk = await at_the_confirmation()

    assert await talk.does({"clear_slot": "address.zip"}) == ["cleared:address.zip", "ask:address.zip"]
    assert await talk.does({"set_slot": {"address.zip": "80205"}}) == ["confirm:send"]
    assert talk.value("send.address") == {**STORED, "zip": "80205"}


async def test_an_optional_field_is_emptied_without_a_question():
    talk = await started({"set_slot": {"address": {**WHOLE, "note": "ring"}, "weight": 2}})

    assert await talk.does({"clear_slot": "address.note"}) == ["cleared:address.note", "confirm:send"]
    assert talk.value("send.address") == STORED


async def test_a_record_without_a_question_of_its_own_is_asked_for_field_by_field():
    talk = await started(flow=SEND.replace("address: {type: address, prompt: Where to?}", "address: address"))

    assert (talk.keys, talk.texts) == (["ask:address.street"], ["Which street?"])


async def test_a_field_of_a_slot_of_the_conversation_is_kept_there():
    flow = SEND.replace("slot: address}", "slot: home}")
    talk = await started({"set_slot": {"home.zip": "80204"}}, flow=flow)

    assert talk.keys == ["ask:home.street"]
    await talk.does({"set_slot": {"home": {**WHOLE, "zip": None}}})
    assert (talk.value("home"), talk.keys) == (STORED, ["ask:weight"])
    await talk.does("restart")
    await talk.does("affirm")
    await talk.does({"start_flow": "send"})
    assert talk.keys == ["ask:home"]


async def test_explaining_speaks_of_the_field_that_is_asked_for():
    talk = await started({"set_slot": {"address": {**WHOLE, "zip": None}}})

    assert await talk.does({"digress": {"kind": "clarification"}}) == ["explain:address.zip", "ask:address.zip"]
    assert "the zip code" in talk.texts[0]


async def test_an_operator_sets_one_field():
    talk = await at_the_confirmation()

    await talk.feed({"kind": "slots", "id": "o1", "by": "olga", "values": {"send.address.zip": "80207"}})
    await talk.feed({"kind": "slots", "id": "o2", "by": "olga", "values": {"address.note": "ring twice"}})

    assert talk.value("send.address") == {**STORED, "zip": "80207", "note": "ring twice"}


async def test_the_change_of_a_field_is_recorded_under_its_name():
    talk = await started({"set_slot": {"address.zip": "80204"}})

    (change,) = talk.outcome.record["slots"]
    assert (change["slot"], change["from"], change["to"]) == ("address.zip", None, "80204")


@pytest.mark.parametrize("name", ["address.", "address..zip", ".zip", "weight.zip", "address.zip.x"])
async def test_a_name_that_means_no_field_is_dropped(name: str):
    talk = await started()

    await talk.does({"set_slot": {name: "1"}})

    assert [dropped["reason"] for dropped in talk.outcome.record["dropped"]] == ["unknown_slot"]


VALUES: dict[str, tuple[Any, ...]] = {
    "address": (
        WHOLE,
        {"zip": "80204"},
        {"zip": "x", "street": "7 Mill Road"},
        {"place": {"city": "Boulder"}},
        {},
        "?",
        None,
    ),
    "address.zip": ("80204", "80205", "x", None, 80204),
    "address.street": ("12 Pine St", "7 Mill Road", ""),
    "address.gate": (True, False, "perhaps"),
    "address.place": ({"city": "Denver"}, {"country": "US"}, {}),
    "address.place.city": ("Denver", "Boulder"),
    "address.note": ("ring twice", None),
}


def any_command(chance: random.Random) -> Any:
    name = chance.choice(list(VALUES))
    kind = chance.choice(("set_slot", "set_slot", "set_slot", "correct_slot", "clear_slot", "skip_slot", "talk"))
    if kind == "talk":
        return chance.choice(("affirm", "deny", "repeat", {"start_flow": "send"}, {"set_slot": {"weight": 2}}))
    return {kind: {name: chance.choice(VALUES[name])}} if kind.endswith("t_slot") else {kind: name}


@pytest.mark.parametrize("seed", range(25))
async def test_whatever_is_said_a_stored_record_is_complete_and_a_missing_field_is_asked_for(seed: int):
    chance = random.Random(seed)
    talk = await started()

    for _ in range(30):
        await talk.does(*(any_command(chance) for _ in range(chance.choice((1, 1, 2)))))
        assert not any("." in name for frame in talk.outcome.state["frames"] for name in frame["slots"])
        for entry in talk.outcome.stack:
            record = entry["slots"].get("address", {}).get("value")
            if record is not None:
                assert set(record) == set(STORED) and not missing_field(ADDRESS, record)
            if entry["awaiting"].startswith("send?address."):
                field = ADDRESS.part(entry["awaiting"].removeprefix("send?address."))
                assert record is None and field is not None and field.required
        if not talk.outcome.stack:
            await talk.does({"start_flow": "send"})


LOOP = """\
flow: send
description: Send parcels.
slots:
  parcels: list of text
  address: {type: address, prompt: Where to?}
  zips: list of text
steps:
  - {step: what, type: collect, slot: parcels, message: What?}
  - step: each_parcel
    type: for_each
    item: parcel
    in: parcels
    per_item: [address]
    gather: {zips: address.zip}
    do:
      - {step: where, type: collect, slot: address, message: "Where does the {parcel} go?"}
      - {step: near, type: branch, cases: [{when: "address.zip == '00000'", next: continue}]}
  - {step: sure, type: confirm, message: "Zips {zips}?"}
"""


async def test_each_round_of_a_loop_has_its_own_missing_fields():
    talk = parcel(LOOP)
    await talk.does({"start_flow": "send"}, {"set_slot": {"parcels": ["lamp", "mug"]}})

    await talk.does({"set_slot": {"address": {**WHOLE, "zip": None}}})
    assert talk.stack == ["send?address.zip"]
    await talk.does({"set_slot": {"address.zip": "80204"}})
    assert (talk.stack, talk.texts[-1]) == (["send?address"], "Where does the mug go?")
    await talk.does({"set_slot": {"address": {**WHOLE, "zip": "80301"}}})
    assert talk.texts[-1] == "Zips 80204, 80301?"


async def test_a_field_of_an_earlier_round_is_corrected_with_its_item():
    talk = parcel(LOOP)
    await talk.does({"start_flow": "send"}, {"set_slot": {"parcels": ["lamp", "mug"]}})
    await talk.does({"set_slot": {"address": WHOLE}})

    await talk.does({"correct_slot": {"address.zip": "80205"}, "item": "lamp"})
    assert talk.stack == ["send?address"]
    await talk.does({"correct_slot": {"address.zip": "80301"}, "item": "pen"})
    assert talk.outcome.record["dropped"][0]["reason"] == "unknown_item"
    await talk.does({"set_slot": {"address": {**WHOLE, "zip": "80301"}}})
    assert talk.texts[-1] == "Zips 80205, 80301?"


async def test_a_flow_that_empties_the_slot_forgets_what_was_known_of_the_record():
    flow = SEND.replace("steps:\n", "steps:\n  - {step: empty, type: set, slots: {address: ~}}\n").replace(
        "slot: weight}", "slot: weight, message: How heavy?}"
    )
    talk = await started({"set_slot": {"address.zip": "80204"}}, flow=flow)

    assert talk.stack == ["send?address"]
    assert "drafts" not in talk.outcome.state["frames"][0]
