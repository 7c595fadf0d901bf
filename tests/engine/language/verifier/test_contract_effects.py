"""What is found about contracts with `effect: none`."""

from tests.support.engine.small_flows import ASSISTANT, PAY, changed, only_problem, problems

READING = ASSISTANT + "  rate: {inputs: {amount: money}, outputs: {fee: money}, effect: none}\n"
FEE = changed("  receipt:", "  fee: {type: money, required: false}\n  receipt:", PAY)
WITH_FEE = changed(
    "  - {step: sure, type: confirm, message: \"Pay {amount}?\"}",
    "  - {step: look, type: action, call: rate, outputs: {fee: fee}, retry: {attempts: 2}, on_error: sorry}\n"
    "  - {step: sure, type: confirm, message: \"Pay {amount}, {fee|amount}?\"}",
    FEE,
)  # fmt: skip


def test_a_reading_may_be_tried_again_without_being_idempotent():
    assert problems(WITH_FEE, READING) == []


def test_a_reading_without_outputs_does_nothing():
    useless = READING.replace("outputs: {fee: money}, ", "")
    problem = only_problem(PAY, useless)
    assert (problem.rule, problem.severity) == ("effect", "warning")
    assert "does nothing" in problem.text


def test_a_reading_that_may_not_be_repeated_contradicts_itself():
    problem = only_problem(WITH_FEE, READING.replace("effect: none", "effect: none, idempotent: false"))
    assert (problem.rule, problem.severity) == ("effect", "warning")
    assert "may always be repeated" in problem.text


def test_a_step_that_keeps_nothing_of_what_it_reads_is_found():
    found = problems(WITH_FEE.replace(" outputs: {fee: fee},", ""), READING)
    assert "unused_reading" in {problem.rule for problem in found}


def test_another_effect_is_refused_with_the_words_that_are_allowed():
    problem = only_problem(WITH_FEE, READING.replace("effect: none", "effect: maybe"))
    assert problem.severity == "error"
    assert "none" in f"{problem.text} {problem.advice}"
