"""Rule 3 of the repair patterns: corrections along the path that was really gone."""

from tests.support.engine.dialogue_harness import Talk, assistant_of, travel_agency

BOOKED = (
    {"start_flow": "trip"},
    {"set_slot": {"city": "Rome", "nights": 2, "class": "economy", "seat": "4A"}},
    {"skip_slot": "note"},
)


async def _at_the_confirmation() -> Talk:
    talk = travel_agency()
    await talk.does(*BOOKED)
    assert talk.stack == ["trip!confirm"]
    return talk


async def test_the_same_value_again_has_no_effect_and_is_not_talked_about():
    talk = await _at_the_confirmation()
    assert await talk.does({"correct_slot": {"city": "Rome"}}) == ["confirm:trip"]
    assert talk.settled() == []


async def test_a_corrected_value_voids_the_confirmation_that_showed_the_old_one():
    talk = await _at_the_confirmation()
    first = talk.outcome.awaited
    assert await talk.does({"correct_slot": {"class": "business"}}) == ["corrected:class", "ask:lounge"]
    assert first is not None
    assert (first.key, "voided") in talk.settled()


async def test_only_what_was_collected_on_the_abandoned_arm_is_forgotten():
    talk = await _at_the_confirmation()
    await talk.does({"correct_slot": {"class": "business"}})
    assert talk.value("trip.seat") is None
    assert (talk.value("trip.city"), talk.value("trip.nights")) == ("Rome", 2)


async def test_after_the_new_arm_everything_else_is_passed_over_and_the_confirmation_asked_again():
    talk = await _at_the_confirmation()
    await talk.does({"correct_slot": {"class": "business"}})
    assert await talk.does("affirm") == ["confirm:trip"]
    assert "business" in talk.texts[-1]
    assert len(talk.actions.inputs_of("quote")) == 1


async def test_a_look_up_that_used_the_value_runs_again_and_nothing_is_said_to_stay():
    talk = await _at_the_confirmation()
    assert await talk.does({"set_slot": {"city": "Oslo"}}) == ["corrected:city", "confirm:trip"]
    assert [each["city"] for each in talk.actions.inputs_of("quote")] == ["Rome", "Oslo"]
    assert "80.00" in talk.texts[-1]


async def test_each_run_of_an_action_has_a_key_of_its_own():
    talk = await _at_the_confirmation()
    await talk.does({"set_slot": {"city": "Oslo"}})
    assert [each.key for each in talk.actions.calls] == ["c1/trip-1/quote/1/1", "c1/trip-1/quote/2/1"]


HOLD = """
flow: hold
description: Puts a hold on a book.
slots:
  title: {type: text, prompt: Which book?}
  number: {type: text, required: false}
  remind: {type: boolean, prompt: Shall we remind you?}
steps:
  - {step: ask, type: collect, slot: title}
  - {step: sure, type: confirm, message: "Hold {title}?"}
  - {step: hold, type: action, call: hold, outputs: {number: number}, on_error: done}
  - {step: ask_remind, type: collect, slot: remind}
  - {step: done, type: say, message: "{number}"}
"""
HOLDING = "actions:\n  hold: {inputs: {title: text}, outputs: {number: text}, idempotent: true}\n"


async def test_a_repeatable_action_after_a_yes_has_done_something_that_stays():
    talk = Talk(assistant_of(HOLD, head=HOLDING), {"hold": [{"returns": {"number": "H-1"}}]})
    await talk.does({"start_flow": "hold"}, {"set_slot": {"title": "Emma"}})
    assert await talk.does("affirm") == ["ask:remind"]
    assert await talk.does({"correct_slot": {"title": "Persuasion"}}) == [
        "corrected:title",
        "already_done:title",
        "confirm:hold",
    ]


async def test_a_repeatable_action_without_results_can_only_have_had_an_effect():
    head = HOLDING.replace("outputs: {number: text}", "outputs: {}")
    flow = HOLD.replace(" outputs: {number: number},", "").replace(
        '  - {step: sure, type: confirm, message: "Hold {title}?"}\n', ""
    )
    talk = Talk(assistant_of(flow, head=head))
    assert await talk.does({"start_flow": "hold"}, {"set_slot": {"title": "Emma"}}) == ["ask:remind"]
    assert await talk.does({"correct_slot": {"title": "Persuasion"}}) == [
        "corrected:title",
        "already_done:title",
        "ask:remind",
    ]


GIFT = """
flow: gift
description: Sends a gift.
slots:
  amount: {type: money, prompt: How much?}
  thanks: {type: text, prompt: What shall the card say?}
steps:
  - {step: ask_amount, type: collect, slot: amount}
  - {step: charge, type: action, call: charge, on_error: over}
  - {step: ask_thanks, type: collect, slot: thanks}
  - {step: over, type: say, message: "{amount} {thanks}"}
"""
CHARGE = "actions:\n  charge: {inputs: {amount: money}, outputs: {}}\n"


async def test_what_was_done_for_good_is_neither_done_again_nor_denied():
    talk = Talk(assistant_of(GIFT, head=CHARGE))
    await talk.does({"start_flow": "gift"}, {"set_slot": {"amount": 5}})
    assert await talk.does({"correct_slot": {"amount": 7}}) == ["already_done:amount", "ask:thanks"]
    assert await talk.does({"set_slot": {"thanks": "Hello"}}) == ["say:over"]
    assert talk.texts == ["5.00 Hello"]
    assert len(talk.actions.calls) == 1


async def test_what_was_used_for_good_cannot_be_cleared():
    talk = Talk(assistant_of(GIFT, head=CHARGE))
    await talk.does({"start_flow": "gift"}, {"set_slot": {"amount": 5}})
    assert await talk.does({"clear_slot": "amount"}) == ["already_done:amount", "ask:thanks"]
    assert talk.value("gift.amount") == "5.00"


SUM = """
flow: sum
description: Adds up.
slots:
  price: {type: money, prompt: Which price?}
  total: {type: money, required: false}
  remark: {type: text, prompt: Remark?}
steps:
  - {step: ask_price, type: collect, slot: price}
  - {step: add, type: set, slots: {total: "= price * 2"}}
  - {step: told, type: say, message: "Makes {total}."}
  - {step: ask_remark, type: collect, slot: remark}
  - {step: check, type: confirm, message: "{total} for {remark}?"}
  - {step: done, type: say, message: Done.}
"""


async def test_what_was_computed_from_the_value_is_computed_anew_and_nothing_is_said_twice():
    talk = Talk(assistant_of(SUM))
    await talk.does({"start_flow": "sum"}, {"set_slot": {"price": 3}})
    await talk.does({"set_slot": {"remark": "pens"}})
    assert await talk.does({"correct_slot": {"price": 4}}) == ["corrected:price", "confirm:sum"]
    assert talk.texts[-1] == "8.00 for pens?"


async def test_a_refused_correction_keeps_the_old_value_and_the_question():
    talk = await _at_the_confirmation()
    assert await talk.does({"correct_slot": {"nights": 99}}) == ["rejected:nights", "confirm:trip"]
    assert talk.value("trip.nights") == 2


async def test_a_yes_given_together_with_a_correction_does_not_count():
    talk = await _at_the_confirmation()
    assert await talk.does({"correct_slot": {"nights": 3}}, "affirm") == [
        "corrected:nights",
        "confirm:trip",
    ]
    assert talk.actions.inputs_of("book") == []
    assert talk.outcome.record["dropped"] == [{"command": "affirm", "reason": "nothing_to_answer"}]


async def test_a_cleared_slot_is_asked_for_again():
    talk = await _at_the_confirmation()
    assert await talk.does({"clear_slot": "nights"}) == ["cleared:nights", "ask:nights"]
    assert await talk.does({"set_slot": {"nights": 5}}) == ["confirm:trip"]
    assert "5 nights" in talk.texts[0]


async def test_a_correction_in_a_paused_flow_waits_there_for_its_turn():
    talk = await _at_the_confirmation()
    await talk.does({"start_flow": "name"})
    assert await talk.does({"correct_slot": {"class": "business"}}) == ["corrected:class", "ask:name"]
    assert await talk.does({"set_slot": {"name": "Ursula"}}) == ["say:hello", "resumed:trip", "ask:lounge"]


async def test_a_correction_that_a_request_to_staff_shows_voids_it_and_opens_a_new_one():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 20, "reason": "late"}})
    assert await talk.does({"correct_slot": {"amount": 25}}) == ["corrected:amount", "waiting:approval"]
    assert talk.settled() == [("refund-1/approval/1", "voided")]
    assert talk.staff_task().key == "refund-1/approval/2"


async def test_a_value_that_staff_only_see_may_change_while_they_decide():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 20, "reason": "late"}})
    assert await talk.does({"correct_slot": {"reason": "too late"}}) == ["corrected:reason"]
    assert talk.settled() == []


async def test_a_request_below_another_flow_is_made_anew_without_disturbing_it():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 20, "reason": "late"}})
    await talk.does({"start_flow": "name"})
    assert await talk.does({"correct_slot": {"amount": 25}}) == ["corrected:amount", "waiting:approval", "ask:name"]
    assert talk.stack == ["refund!human", "name?name"]


CALLER = """
flow: order
description: Orders with an address.
slots:
  goods: {type: text, prompt: What?}
  where: {type: text, required: false}
steps:
  - {step: ask_goods, type: collect, slot: goods}
  - {step: find, type: call, flow: address, inputs: {what: goods}, outputs: {where: street}}
  - {step: check, type: confirm, message: "{goods} to {where}?"}
  - {step: done, type: say, message: Done.}
"""
CALLED = """
flow: address
description: Asks for an address.
start: false
slots:
  what: {type: text, required: false}
  street: {type: text, prompt: Which street?}
steps:
  - {step: ask_street, type: collect, slot: street}
"""


async def test_a_called_flow_begins_anew_when_what_it_was_called_with_changes():
    talk = Talk(assistant_of(CALLER, CALLED))
    await talk.does({"start_flow": "order"}, {"set_slot": {"goods": "tea"}})
    assert talk.stack == ["order", "address?street"]
    assert await talk.does({"correct_slot": {"goods": "milk"}}) == ["corrected:goods", "ask:street"]
    assert talk.value("address.what") == "milk"


async def test_an_answer_that_was_called_for_is_kept_when_nothing_that_it_needs_changed():
    talk = Talk(assistant_of(CALLER, CALLED))
    await talk.does({"start_flow": "order"}, {"set_slot": {"goods": "tea"}})
    assert await talk.does({"set_slot": {"street": "Elm"}}) == ["confirm:order"]
    assert await talk.does({"set_slot": {"goods": "milk"}}) == ["corrected:goods", "ask:street"]


OFFER = """
flow: offer
description: Offers goods at a price.
slots:
  goods: {type: text, prompt: What?}
  where: {type: text, required: false}
steps:
  - {step: ask_goods, type: collect, slot: goods}
  - {step: find, type: call, flow: address, inputs: {what: goods}, outputs: {where: street}}
  - {step: settle, type: set, slots: {where: Station Road}}
  - {step: check, type: confirm, message: "{goods} to {where}?"}
"""


async def test_what_a_call_that_runs_again_writes_is_overwritten_again_as_it_was_the_first_time():
    talk = Talk(assistant_of(OFFER, CALLED))
    await talk.does({"start_flow": "offer"}, {"set_slot": {"goods": "tea"}})
    await talk.does({"set_slot": {"street": "Elm"}})
    await talk.does({"set_slot": {"goods": "milk"}})
    assert await talk.does({"set_slot": {"street": "Oak"}}) == ["confirm:offer"]
    assert talk.value("offer.where") == "Station Road"


FIND_CUSTOMER = """
flow: find
title: find you
description: Finds a customer by name and zip code.
slots:
  method: {type: choice, options: [name_and_zip, email], prompt: Which way?}
  name: {type: text, prompt: Which name?}
  zip: {type: text, prompt: Which zip code?}
  tries: {type: integer, default: 0}
steps:
  - {step: known, type: branch, cases: [{when: "filled(zip)", next: ask_name}], else: ask_method}
  - {step: ask_method, type: collect, slot: method}
  - {step: hint, type: say, message: "As you like, {method}."}
  - {step: which, type: branch, cases: [{when: "method == 'email'", next: gone}], else: ask_name}
  - {step: ask_name, type: collect, slot: name}
  - {step: ask_zip, type: collect, slot: zip}
  - {step: count, type: set, slots: {tries: "=tries + 1"}}
  - {step: enough, type: branch, cases: [{when: "tries > 1", next: gone}], else: again}
  - {step: again, type: set, slots: {method: ~, name: ~, zip: ~}, next: ask_method}
  - {step: gone, type: say, message: "{name}, {zip}."}
"""


async def test_a_question_is_asked_again_when_the_flow_has_emptied_its_slot_on_another_way():
    talk = Talk(assistant_of(FIND_CUSTOMER))
    await talk.does({"start_flow": "find"})
    assert await talk.does({"set_slot": {"method": "name_and_zip"}}, {"set_slot": {"zip": "80204"}}) == ["ask:name"]
    assert await talk.does({"set_slot": {"name": "Ursula"}}) == ["ask:method"]
    assert await talk.does({"set_slot": {"method": "name_and_zip"}}) == ["say:hint", "ask:name"]
    assert await talk.does({"set_slot": {"name": "Uma"}}, {"set_slot": {"zip": "1000"}}) == ["say:gone"]


FEE = """
flow: fee
description: Says what it costs.
slots:
  member: {type: boolean, prompt: Are you a member?}
  price: {type: integer, default: 5}
  gift: {type: integer, required: false, prompt: "Is there a gift card?"}
steps:
  - {step: ask, type: collect, slot: member}
  - {step: which, type: branch, cases: [{when: "not member", next: sure}]}
  - {step: half, type: set, slots: {price: 3}}
  - {step: free, type: set, slots: {price: 0, gift: 1}}
  - {step: sure, type: confirm, message: "{price} euros?"}
  - {step: extra, type: set, slots: {price: "=price + 1"}}
  - {step: again, type: confirm, message: "{price} euros in all?"}
"""


async def test_a_value_that_the_abandoned_arm_overwrote_is_back():
    talk = Talk(assistant_of(FEE))
    await talk.does({"start_flow": "fee"}, {"set_slot": {"member": True}})
    assert talk.texts == ["0 euros?"]

    await talk.does({"correct_slot": {"member": False}})

    assert talk.texts[-1] == "5 euros?"
    assert (talk.value("fee.price"), talk.value("fee.gift")) == (5, None)


async def test_what_was_computed_after_the_abandoned_arm_is_computed_from_the_value_that_is_back():
    talk = Talk(assistant_of(FEE))
    await talk.does({"start_flow": "fee"}, {"set_slot": {"member": True}})
    await talk.does("affirm")
    assert talk.texts == ["1 euros in all?"]

    await talk.does({"correct_slot": {"member": False}})
    assert talk.texts[-1] == "5 euros?"
    await talk.does("affirm")

    assert talk.texts[-1] == "6 euros in all?"


async def test_an_arm_that_is_taken_abandoned_and_taken_again_leaves_no_trace():
    talk = Talk(assistant_of(FEE))
    await talk.does({"start_flow": "fee"}, {"set_slot": {"member": True}})
    for member, text in ((False, "5 euros?"), (True, "0 euros?"), (False, "5 euros?")):
        await talk.does({"correct_slot": {"member": member}})
        assert talk.texts[-1] == text
