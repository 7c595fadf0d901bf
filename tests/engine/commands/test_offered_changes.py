"""While staff decide: a value that may be meant is asked about, and a message that means nothing is told what waits."""

import pytest

from tests.support.engine.dialogue_harness import travel_agency

WAITING = ({"start_flow": "refund"}, {"set_slot": {"amount": 5, "reason": "rain"}})


async def waiting_for_approval():
    talk = travel_agency()
    await talk.does(*WAITING)
    return talk


async def test_a_change_that_is_only_offered_leaves_the_value_and_the_request_as_they_are():
    talk = await waiting_for_approval()
    before = talk.staff_task()

    assert await talk.does({"offer_change": {"amount": 7}}) == ["offer_change:amount"]
    assert talk.staff_task() == before
    assert talk.value("refund.amount") == before.shown["amount"]


async def test_a_yes_changes_the_value_and_asks_staff_again():
    talk = await waiting_for_approval()
    before = talk.staff_task()
    await talk.does({"offer_change": {"amount": 7}})

    assert "corrected:amount" in await talk.does("affirm")
    assert talk.staff_task().key != before.key


async def test_the_buttons_of_the_question_mean_what_they_say():
    talk = await waiting_for_approval()
    await talk.does({"offer_change": {"amount": 7}})
    assert set(await talk.chooses("no")) <= {"status"}
    await talk.does({"offer_change": {"amount": 7}})

    assert "corrected:amount" in await talk.chooses("yes")


@pytest.mark.parametrize("answer", ["deny", "cancel_flow", "cannot_handle"])
async def test_any_other_answer_leaves_the_request_to_staff_and_says_what_is_waited_for(answer: str):
    talk = await waiting_for_approval()
    before = talk.staff_task()
    await talk.does({"offer_change": {"amount": 7}})

    assert set(await talk.does(answer)) <= {"status", "waiting:approval"}
    assert talk.staff_task() == before
    assert talk.value("refund.amount") == before.shown["amount"]


async def test_a_decision_withdraws_the_question_whether_to_change_a_value():
    talk = await waiting_for_approval()
    await talk.does({"offer_change": {"amount": 7}})

    assert "offer_change:amount" not in await talk.decides("approve")
    assert "offer" not in talk.outcome.state


async def test_a_late_click_on_its_yes_confirms_nothing_that_is_asked_by_then():
    talk = await waiting_for_approval()
    await talk.does({"offer_change": {"amount": 7}})
    late_yes = talk.outcome.messages[-1].buttons[0].value
    await talk.decides("approve")
    assert "confirm:trip" in await talk.does(
        {"start_flow": "trip"},
        {"set_slot": {"city": "Rome", "nights": 2, "class": "business", "lounge": True}},
        {"skip_slot": "note"},
    )

    assert await talk.chooses(late_yes) == ["confirm:trip"]
    assert talk.stack == ["trip!confirm"]


@pytest.mark.parametrize("value", [5, "no amount"])
async def test_the_same_value_and_one_that_would_be_refused_are_worth_no_question(value: object):
    talk = await waiting_for_approval()

    assert await talk.does({"offer_change": {"amount": value}}) == ["waiting:approval"]


async def test_a_message_that_is_not_understood_while_staff_decide_is_told_what_is_waited_for():
    talk = await waiting_for_approval()

    assert await talk.does("cannot_handle") == ["waiting:approval"]
    assert "A colleague is still deciding about" in talk.outcome.messages[0].text


async def test_the_status_says_what_is_known_and_what_is_still_missing():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 5}})

    await talk.does({"digress": "status"})

    assert "Still missing: reason." in talk.outcome.messages[0].text
