"""Messages around a needed flow: what belongs to it, and what to the flow that waits for it."""

import pytest

from tests.nlu.dialogues.test_whole_talks import Understood

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
