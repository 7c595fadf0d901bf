"""What is found about failures: flows and assistants with an `on_error`, and results of calls."""

from tests.support.engine.small_flows import ASSISTANT, changed, only_problem, problems, with_step

PAY_DEFAULT = changed("slots:", "settings: {on_error: sorry}\nslots:", changed(", on_error: sorry}", "}"))
LOOKUP = """
flow: lookup
description: Looks.
start: false
slots: {x: {type: text, prompt: X?}}
steps: [{step: x, type: collect, slot: x}]
"""
APOLOGY = "flow: apology\ndescription: Sorry.\nstart: false\nsteps: [{step: sorry, type: say, message: Sorry.}]\n"


def test_an_action_needs_no_way_for_failures_in_a_flow_that_has_one():
    assert problems(PAY_DEFAULT) == []


def test_an_unknown_step_for_failures_is_found_at_the_setting():
    problem = only_problem(
        changed("on_error: sorry", "on_error: sory", PAY_DEFAULT).replace("next: end", "next: sorry", 1)
    )
    assert (problem.rule, problem.severity) == ("unknown_step", "error")
    assert "`sorry`" in problem.advice


def test_a_step_inside_a_loop_is_no_way_for_failures():
    inner = "{step: x, type: collect, slot: amount, force: true}"
    loop = f"  - {{step: w, type: while, condition: amount > 3, do: [{inner}]}}"
    pay = changed("slots:", "settings: {on_error: x}\nslots:", with_step(loop))
    assert "jump_into_loop" in {problem.rule for problem in problems(pay)}


def test_an_action_on_the_way_for_failures_is_told_that_it_has_none():
    tell = changed(
        "  - {step: sorry, type: say, message: Sorry.}",
        "  - {step: sorry, type: action, call: charge, outputs: {receipt: receipt}}",
        PAY_DEFAULT,
    )
    assert [problem.rule for problem in problems(tell)] == ["no_failure_branch"]


def test_the_assistant_s_flow_for_failures_must_exist_and_counts_as_started():
    assistant = ASSISTANT + "settings: {on_error: apology}\n"
    assert only_problem(assistant=assistant).rule == "unknown_flow"
    assert (
        problems(
            changed(", on_error: sorry}", ", next: done}").replace(
                "\n  - {step: sorry, type: say, message: Sorry.}", ""
            ),
            assistant,
            apology=APOLOGY,
        )
        == []
    )


PERSON = "flow: person\ndescription: Calls one.\nstart: false\nsteps: [{step: call, type: handoff}]\n"


def test_the_flow_for_wishes_for_a_person_must_exist_call_one_and_counts_as_started():
    assistant = ASSISTANT + "settings: {on_handoff: person}\n"
    unknown = only_problem(assistant=assistant)
    assert (unknown.rule, unknown.path) == ("unknown_flow", "assistant.settings.on_handoff")
    assert problems(assistant=assistant, person=PERSON) == []
    by_link = PERSON.replace("type: handoff", "type: link, flow: other")
    other = PERSON.replace("flow: person", "flow: other")
    assert problems(assistant=assistant, person=by_link, other=other) == []

    silent = only_problem(assistant=assistant, person=PERSON.replace("type: handoff", "type: say, message: No."))
    assert (silent.rule, silent.severity, silent.path) == ("no_handoff", "warning", "assistant.settings.on_handoff")


CALL = "  - {step: look, type: call, flow: lookup, result: how}"
HOW = "  how: {type: choice, options: [done, cancelled, failed], required: false}\n  receipt:"
BRANCH = CALL + "\n  - {step: ok, type: branch, cases: [{when: \"how == 'cancelled'\", next: sorry}]}"


def test_the_result_of_a_call_is_a_slot_like_any_other():
    assert problems(changed("  receipt:", HOW, with_step(BRANCH)), lookup=LOOKUP) == []


def test_a_result_that_nothing_reads_is_found():
    problem = only_problem(changed("  receipt:", HOW, with_step(CALL)), lookup=LOOKUP)
    assert problem.rule == "unread_result"


def test_a_slot_that_cannot_hold_the_results_is_found():
    how = HOW.replace(", failed]", "]")
    problem = only_problem(changed("  receipt:", how, with_step(BRANCH)), lookup=LOOKUP)
    assert problem.rule == "wrong_type"
    assert "options: [done, cancelled, failed]" in problem.advice


def test_what_a_called_flow_returns_may_be_missing_when_nothing_tests_the_result():
    text = "  note: {type: text}\n" + HOW
    call = CALL.replace("result: how", "result: how, outputs: {note: x}")
    told = changed('"Pay {amount}?"', '"Pay {amount}, {note}?"', with_step(call))
    found = problems(changed("  receipt:", text, told), lookup=LOOKUP)
    assert [problem.rule for problem in found] == ["unread_result", "gap"]


def test_an_unknown_slot_for_the_result_is_found():
    assert "unknown_slot" in {problem.rule for problem in problems(with_step(CALL), lookup=LOOKUP)}
