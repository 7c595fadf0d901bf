"""Where steps lead: each exit with its kind, and the key of the document that names it."""

from dialogue.engine.language.exits import Exit, exits_of
from dialogue.engine.language.steps import END
from tests.support.engine.small_flows import APPROVAL, changed, shop, with_step

BRANCH = """\
  - step: how_much
    type: branch
    cases: [{when: amount > 9, next: sure}]
    else: done
"""

BOSS = changed("approve: pay", "approve: sure", APPROVAL)


def exits(step_id: str, pay: str) -> list[Exit]:
    flow = shop(pay).flows["pay"]
    return list(exits_of(flow, flow.step(step_id)))


def test_a_failure_has_an_exit_of_its_own_and_the_last_step_leads_to_the_end():
    pay = with_step("  - {step: other, type: say, message: Well.}\n")

    assert exits("pay", pay) == [Exit("done"), Exit("sorry", "error", "on_error")]
    assert [way.failed for way in exits("pay", pay)] == [False, True]
    assert exits("sorry", pay) == [Exit(END)]


def test_a_branch_names_its_cases_by_their_place():
    assert exits("how_much", with_step(BRANCH)) == [
        Exit("sure", "case", "cases.0.next", "amount > 9"),
        Exit("done", "else", "else"),
    ]


def test_an_expiry_that_takes_an_action_has_no_exit_beside_it():
    targets = [(way.target, way.kind, way.key) for way in exits("boss", with_step(BOSS))]
    assert targets == [("sure", "decision", "next.approve"), ("sorry", "decision", "next.reject")]


def test_an_expiry_that_names_a_step_leads_there():
    pay = with_step(changed("on_timeout: reject", "on_timeout: sorry", BOSS))
    assert exits("boss", pay)[-1] == Exit("sorry", "expiry", "on_timeout")


def test_a_no_without_a_target_stays_at_the_step():
    assert [way.kind for way in exits("sure", with_step(""))] == ["confirmed"]
