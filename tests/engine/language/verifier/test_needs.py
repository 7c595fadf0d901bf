"""What is found about needs."""

from tests.support.engine.small_flows import ASSISTANT, PAY, changed, only_problem, problems

CUSTOMER = ASSISTANT.replace("slots:\n", "slots:\n  customer: {type: text, required: false}\n")
IDENTIFY = """\
flow: identify
description: Finds out who it is.
start: false
slots: {name: {type: text, prompt: Your name?}}
steps:
  - {step: ask, type: collect, slot: name}
  - {step: keep, type: set, slots: {customer: "=name"}}
"""
NEEDY = changed("slots:", "needs: {customer: identify}\nslots:")


def test_a_need_that_its_flow_fills_is_in_order():
    assert problems(NEEDY, CUSTOMER, identify=IDENTIFY) == []


def test_an_unknown_slot_and_an_unknown_flow_are_found_at_the_need():
    slot = only_problem(changed("{customer:", "{custmer:", NEEDY), CUSTOMER, identify=IDENTIFY)
    assert (slot.rule, slot.line, slot.column, "`customer`" in slot.advice) == ("unknown_slot", 5, 9, True)
    flow = problems(changed(": identify}", ": identity}", NEEDY), CUSTOMER, identify=IDENTIFY)
    assert [problem.rule for problem in flow] == ["never_started", "unknown_flow"]
    assert "`identify`" in flow[1].advice


def test_a_flow_that_does_not_fill_the_slot_is_found():
    problem = only_problem(NEEDY, CUSTOMER, identify=IDENTIFY.replace('{customer: "=name"}', '{name: "=name"}'))
    assert (problem.rule, problem.severity) == ("unmet_need", "error")
    assert problem.text == "no step of `identify` fills `customer`"


def test_a_flow_that_fills_it_through_another_one_is_in_order():
    outer = "flow: outer\ndescription: Calls.\nstart: false\nsteps: [{step: go, type: call, flow: identify}]\n"
    assert problems(changed(": identify}", ": outer}", NEEDY), CUSTOMER, identify=IDENTIFY, outer=outer) == []


def test_a_need_that_leads_back_to_its_flow_is_found():
    circle = IDENTIFY.replace("start: false", "start: false\nneeds: {customer: pay}")
    found = problems(NEEDY, CUSTOMER, identify=circle)
    assert [problem.rule for problem in found] == ["need_circle", "need_circle"]


def test_a_slot_of_the_flow_needs_one_of_the_same_name_and_type():
    own = changed("  receipt:", "  code: {type: text}\n  receipt:", NEEDY).replace("{customer:", "{code:")
    assert only_problem(own, CUSTOMER, identify=IDENTIFY).rule == "unmet_need"
    coded = IDENTIFY.replace("slots: {name", "slots: {code: {type: integer, prompt: Code?}, name")
    coded = coded.replace("steps:", "steps:\n  - {step: code, type: collect, slot: code}")
    assert only_problem(own, CUSTOMER, identify=coded).rule == "wrong_type"
    assert problems(own, CUSTOMER, identify=coded.replace("integer", "text")) == []


def test_a_needed_slot_counts_as_filled_in_actions_and_messages():
    own = changed("  receipt:", "  code: {type: text}\n  receipt:", NEEDY).replace("{customer:", "{code:")
    told = own.replace('"Pay {amount}?"', '"Pay {amount} with {code}?"').replace(
        "call: charge,", "call: charge, inputs: {amount: amount, note: code},"
    )
    coded = IDENTIFY.replace("name", "code")
    assert problems(told, CUSTOMER, identify=coded) == []


def test_a_question_for_a_needed_slot_is_never_asked():
    asked = changed(
        "  - {step: how", "  - {step: who, type: collect, slot: customer, message: Who?}\n  - {step: how", NEEDY
    )
    assert only_problem(asked, CUSTOMER, identify=IDENTIFY).rule == "never_asked"


def test_a_default_meets_the_need_before_its_flow_runs():
    assistant = CUSTOMER.replace("required: false}", "default: Ann}")
    found = {problem.rule for problem in problems(NEEDY, assistant, identify=IDENTIFY)}
    assert "never_needed" in found


def test_a_flow_without_needs_is_not_looked_at():
    assert problems(PAY, ASSISTANT) == []
