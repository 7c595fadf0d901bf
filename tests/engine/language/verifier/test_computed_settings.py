"""What is found about limits, defaults and settings of gates that are computed."""

import pytest

from tests.support.engine.small_flows import APPROVAL, ASSISTANT, PAY, changed, only_problem, problems

BALANCE = ASSISTANT.replace(
    "slots:\n", "slots:\n  balance: {type: money, required: false}\n  day: {type: date, default: 2026-11-30}\n"
)


def amount(settings: str) -> str:
    return changed("amount: {type: money,", f"amount: {{type: money, {settings},")


def gate(settings: str, title: str = "Approve") -> str:
    approval = changed("title: Approve\n", f"title: {title}\n    {settings}\n", APPROVAL)
    return changed("  - {step: pay", f"{approval}  - {{step: pay")


@pytest.mark.parametrize(
    "pay",
    [
        amount('maximum: "=balance"'),
        amount('minimum: "=balance / 10", default: "=balance"'),
        gate('group: "=kind"'),
        gate("priority: \"=if(amount > 50, 'high', 'normal')\""),
        gate('due: "=day"'),
        gate('due: "=2h"'),
        gate("queue: tills", '"{kind}: {amount}"'),
        gate('summary: "{amount} · {kind}"'),
        gate('summary: {en: "{amount} in {kind}", es: "{amount} en {kind}"}'),
    ],
)
def test_expressions_that_fit_are_in_order(pay: str):
    assert problems(pay, BALANCE) == []


@pytest.mark.parametrize(
    ("pay", "rule", "said"),
    [
        (amount('maximum: "=balnce"'), "unknown_slot", "`balnce`"),
        (amount('maximum: "=kind"'), "wrong_type", "gives a text, but `maximum`"),
        (amount('maximum: "=balance >"'), "condition", "ends too early"),
        (amount('maximum: "=amount"'), "computed_from_itself", "computed from itself"),
        (amount('default: "=verified"'), "wrong_type", "`default`"),
        (gate('group: "=amount"'), "wrong_type", "`group` gets a number"),
        (gate('due: "=amount"'), "wrong_type", "`due` gets a number"),
        (gate('due: "=tomorow"'), "unknown_slot", "`tomorow`"),
        (gate('priority: "=kind"'), "unknown_priority", "`card`, `cash` is not a priority"),
        (gate("queue: tills", '"{kin}: {amount}"'), "raw_placeholder", "`{kin}` is shown literally"),
        (gate('summary: "{amont}"'), "unknown_slot", "`{amont}`"),
        (gate('summary: "{=amount * 2}"'), "expression", "the summary has the expression"),
        (gate("priority: urgently"), "unknown_word", "urgently"),
    ],
)
def test_expressions_that_do_not_fit_are_found(pay: str, rule: str, said: str):
    problem = only_problem(pay, BALANCE)
    assert problem.rule == rule
    assert said in problem.text


def test_a_slot_of_the_assistant_reads_slots_of_the_assistant_only():
    own = BALANCE.replace("balance: {type: money,", 'balance: {type: money, maximum: "=amount",')
    assert only_problem(PAY, own).rule == "unknown_slot"


def test_contracts_items_and_fields_have_no_expressions():
    contract = BALANCE.replace("inputs: {amount: money,", 'inputs: {amount: {type: money, maximum: "=balance"},')
    assert only_problem(PAY, contract).rule == "computed_setting"
    items = changed(
        "  receipt:", '  list: {type: list, items: {type: money, maximum: "=balance"}, required: false}\n  receipt:'
    )
    assert "computed_setting" in {problem.rule for problem in problems(items, BALANCE)}


def test_a_sensitive_value_as_a_limit_is_told_because_staff_would_see_it():
    sensitive = BALANCE.replace("balance: {type: money,", "balance: {type: money, sensitive: true,")
    pay = gate("queue: tills").replace("form: {limit: integer,", 'form: {limit: {type: integer, maximum: "=balance"},')
    assert only_problem(pay, sensitive).rule == "sensitive_setting"


def test_a_question_with_a_computed_default_may_be_asked():
    assert problems(amount('default: "=balance"'), BALANCE) == []
