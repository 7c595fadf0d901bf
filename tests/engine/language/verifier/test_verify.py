"""What the verifier finds: one fault in the shop at a time, and what is said about it."""

import pytest

from tests.support.engine.small_flows import APPROVAL, ASSISTANT, PAY, changed, only_problem, problems, with_step


def with_approval(old="Approve\n", new="Approve\n"):
    return changed("  - {step: pay", changed(old, new, APPROVAL) + "  - {step: pay")


def branch(*cases):
    listed = ", ".join(f'{{when: "{when}", next: {target}}}' for when, target in cases)
    return with_step(f"  - {{step: b, type: branch, cases: [{listed}]}}")


LOOP = "  - step: w\n    type: while\n    condition: {condition}\n    do: [{do}]"


def loop(condition="amount > 3", do="{step: x, type: collect, slot: amount, force: true}"):
    return with_step(LOOP.replace("{condition}", condition).replace("{do}", do))


def test_the_shop_itself_is_in_order():
    assert problems() == []
    assert problems(with_approval()) == []
    assert problems(loop()) == []


@pytest.mark.parametrize(
    ("flow", "rule", "place", "said", "advised"),
    [
        # names
        (changed("slot: kind", "slot: kin"), "unknown_slot", (11, 38), "no slot `kin`", "`kind`"),
        (changed("on_error: sorry", "on_error: sory"), "unknown_step", (13, 84), "no step `sory`", "`sorry`"),
        (changed("next: end", "next: nowhere"), "unknown_step", (14, 64), "no step `nowhere`", "`done`"),
        (changed("call: charge", "call: chrage"), "unknown_action", (13, 37), "`chrage` has no contract", "`charge`"),
        (with_step("  - {step: c, type: call, flow: payy}"), "unknown_flow", (12, 33), "no flow `payy`", "`pay`"),
        (changed("Pay {amount}?", "Pay {amont}?"), "unknown_slot", (12, 48), "`{amont}`", "`amount`"),
        (changed("pay {amount} now", "pay {sum} now"), "unknown_slot", (4, 12), "`{sum}`", "Choose one of"),
        (
            changed("step: how", "step: ask"),
            "duplicate_step",
            (11, 12),
            "two steps have the name `ask`",
            "another name",
        ),
        (changed("step: how", "step: end"), "reserved", (11, 12), "`end` is the name", "another name"),
        # conditions
        (branch(("amont > 5", "done")), "unknown_slot", (12, 44), "`amont`", "`amount`"),
        (branch(("kind == 'cards'", "done")), "condition", (12, 53), "`cards` is not one of the options", "`card`"),
        (branch(("amount > 'x'", "done")), "condition", (12, 52), "A number cannot be compared with a text", ""),
        (branch(("amount", "done")), "condition", (12, 44), "not a test", "Compare it"),
        (branch(("slots.clear()", "done")), "condition", (12, 44), "no function", "Choose one of"),
        (branch(("9**9**9", "done")), "condition", (12, 46), "Found `**`", "no power"),
        # actions
        (
            changed("charge,", "charge, inputs: {amout: amount},"),
            "missing_input",
            (13, 37),
            "needs the input `amount`",
            "",
        ),
        (
            changed("charge,", "charge, inputs: {amount: verified},"),
            "wrong_type",
            (13, 62),
            "is a boolean",
            "that type",
        ),
        (changed("{receipt: rec", "{recipt: rec"), "unknown_output", (13, 55), "has no output `recipt`", "`receipt`"),
        (changed(", on_error: sorry", ""), "no_failure_branch", (13, 37), "apologises and ends", "on_error"),
        # sets
        (
            with_step("  - {step: s, type: set, slots: {kind: cheque}}"),
            "literal",
            (12, 40),
            "“cheque” is not one of",
            "",
        ),
        (
            with_step("  - {step: s, type: set, slots: {amount: kind}}"),
            "literal",
            (12, 42),
            "“kind” is not an amount",
            '"=kind"',
        ),
        (changed("How much?}", "How much?, default: lots}"), "default", (6, 53), "“lots” is not an amount", ""),
        (changed("text, req", "text, validator: ibann, req"), "unknown_validator", (8, 36), "`ibann`", "`iban`"),
        # ways
        (
            changed("next: end}", "next: end}\n  - {step: lost, type: say, message: Hi}"),
            "unreachable",
            (15, 12),
            "`lost`",
            "next",
        ),
        (
            changed("message: Sorry.", "message: Sorry., next: sorry"),
            "unbounded_loop",
            (15, 12),
            "without asking",
            "while",
        ),
        (
            loop(do="{step: x, type: say, message: Hi}"),
            "unbounded_loop",
            (14, 16),
            "nothing in the loop changes",
            "Set one",
        ),
        (
            changed("on_error: sorry", "on_error: x", loop()).replace(
                'message: "Paid, {receipt}.", next: end', "message: Hi"
            ),
            "jump_into_loop",
            (17, 84),
            "`x` is inside a loop",
            "Lead to the `while`",
        ),
        # filling
        (
            changed("  receipt:", "  extra: {type: text}\n  receipt:"),
            "never_asked",
            (8, 3),
            "no step asks for `extra`",
            "collect",
        ),
        (changed(", prompt: How?", ""), "no_prompt", (11, 38), "`kind` has no prompt", "`prompt`"),
        (
            changed("steps:\n", 'steps:\n  - {step: hi, type: say, message: "Pay {amount}"}\n'),
            "read_too_early",
            (10, 36),
            "`amount` is read here",
            "earlier step",
        ),
        (
            changed("slot: kind}", "slot: kind}\n  - {step: e, type: set, slots: {amount: ~}}"),
            "read_too_early",
            None,
            "`amount` is read here",
            "",
        ),
        # cases
        (
            branch(("amount > 5", "done"), ("amount > 10", "sorry")),
            "overlap",
            (12, 78),
            "`amount > 10` is never",
            "narrower",
        ),
        (
            branch(("kind == 'card'", "done"), ("kind == 'card'", "sorry")),
            "overlap",
            (12, 82),
            "never reached",
            "narrower",
        ),
        (
            branch(("kind in ['card', 'cash']", "done"), ("kind == 'cash'", "sorry")),
            "overlap",
            None,
            "never reached",
            "",
        ),
        (branch(("verified", "done"), ("verified and amount > 1", "sorry")), "overlap", None, "never reached", ""),
        (
            branch(("amount > 7 and amount < 3", "done")),
            "contradiction",
            (12, 44),
            "can never hold",
            "Correct the condition",
        ),
        (
            branch(("kind == 'card' and kind == 'cash'", "done")),
            "contradiction",
            (12, 44),
            "can never hold",
            "Correct the condition",
        ),
        (
            branch(("amount == 3 and amount != 3", "done")),
            "contradiction",
            (12, 44),
            "can never hold",
            "Correct the condition",
        ),
        # human steps
        (
            with_approval("    timeout: 30m\n", ""),
            "human_without_expiry",
            (13, 5),
            "`timeout` is missing",
            "timeout: 30m",
        ),
        (
            with_approval("    on_timeout: reject\n", ""),
            "human_without_expiry",
            (13, 5),
            "`on_timeout` is missing",
            "refuses",
        ),
        (
            with_approval("on_timeout: reject", "on_timeout: approve"),
            "expiry_approves",
            (18, 17),
            "without a decision",
            "refuses",
        ),
        (
            with_approval("on_timeout: reject", "on_timeout: pay"),
            "expiry_approves",
            (18, 17),
            "without a decision",
            "refuses",
        ),
        (with_approval("on_timeout: reject", "on_timeout: rejct"), "unknown_step", (18, 17), "`rejct`", "`reject`"),
        (with_approval(", reject: sorry", ""), "no_path", (21, 5), "`reject` leads nowhere", "Add reject"),
        (
            with_approval("sorry}", "sorry, maybe: pay}"),
            "unknown_action",
            (21, 41),
            "no action `maybe`",
            "Choose one of",
        ),
        (
            with_approval("id: reject", "id: approve"),
            "duplicate_action",
            (16, 46),
            "two actions have the id `approve`",
            "another id",
        ),
        (with_approval("[amount]", "[amunt]"), "unknown_slot", (19, 12), "no slot `amunt`", "`amount`"),
        (with_approval("30m", "30m\n    due: 1h"), "late", (18, 10), "`due` is later", "shorter than `timeout`"),
        (
            with_approval("30m", "30m\n    escalate: {after: 1h, role: lead}"),
            "late",
            (18, 15),
            "expires before",
            "shorter",
        ),
        (with_approval("step: boss", "step: amount"), "same_name", (13, 11), "a slot and a human step", "another name"),
        (
            with_step("  - {step: h, type: handoff, on_timeout: sorry}"),
            "no_timeout",
            (12, 30),
            "never happens",
            "timeout: 30m",
        ),
        # guards
        (
            changed("examples:", "if: amount > 3\nexamples:"),
            "guard",
            (4, 5),
            "empty before the flow starts",
            "assistant.yaml",
        ),
        (changed("examples:", "if: verifed\nexamples:"), "unknown_slot", (4, 5), "`verifed`", "`verified`"),
        (
            changed("examples:", "else_say: No {amount}.\nexamples:"),
            "unknown_slot",
            (4, 15),
            "`{amount}`",
            "Choose one of",
        ),
    ],
)
def test_one_fault_gives_its_finding(flow, rule, place, said, advised):
    found = [each for each in problems(flow) if each.rule == rule]

    assert found, "\n".join(map(str, problems(flow)))
    assert place is None or (found[0].line, found[0].column) == place
    assert said in found[0].text
    assert advised in found[0].advice
    assert found[0].path.startswith("pay.")


@pytest.mark.parametrize(
    ("flow", "rule", "severity"),
    [
        (changed(", on_error: sorry", ""), "no_failure_branch", "warning"),
        (changed("  receipt:", "  extra: {type: text}\n  receipt:"), "never_asked", "warning"),
        (with_approval("    timeout: 30m\n", ""), "human_without_expiry", "error"),
        (with_approval("on_timeout: reject", "on_timeout: approve"), "expiry_approves", "error"),
        (changed("next: end}", "next: end}\n  - {step: lost, type: say, message: Hi}"), "unreachable", "error"),
    ],
)
def test_errors_keep_a_flow_from_being_published_and_warnings_do_not(flow, rule, severity):
    found = {each.rule: each for each in problems(flow)}

    assert found[rule].severity == severity
    assert found[rule].code == ("E-FLOW" if severity == "error" else "W-FLOW")


@pytest.mark.parametrize(
    "flow",
    [
        branch(("amount > 10", "done"), ("amount > 5", "sorry"), ("amount == 3", "sorry"), ("amount != 4", "done")),
        branch(("kind == 'card'", "done"), ("kind == 'cash'", "sorry")),
        branch(("kind == 'card' and amount > 5", "done"), ("kind == 'card'", "sorry")),
        branch(("verified or amount > 5", "done"), ("amount > 5", "sorry")),
        branch(("filled(receipt)", "done")),
        changed("message: Sorry.", "message: Sorry., next: ask"),
        loop(condition="true", do="{step: x, type: confirm, message: Again?, on_deny: sure}"),
        changed("charge,", "charge, inputs: {amount: amount * 2, note: kind},"),
        with_approval("on_timeout: reject", "on_timeout: sorry"),
        with_approval("30m", "30m\n    message: 'A colleague looks at {amount}.'"),
        changed(
            "  - {step: pay",
            APPROVAL.replace("approve: pay", "approve: look")
            + "  - step: look\n    type: branch\n"
            + "    cases: [{when: \"boss.action == 'approve' and boss.limit > 3\", next: pay}]\n"
            + "  - {step: tell, type: say, message: 'Because: {boss.why|boss.reason}', next: sorry}\n  - {step: pay",
        ),
        changed("Pay {amount}?", "Pay {amount|kind}?"),
        changed("examples:", "if: not verified\nelse_say: No.\nexamples:"),
        changed("type: text, required", "type: text, invalid: '{value} is not {minimum} to {max_length}', required"),
    ],
)
def test_what_is_meant_so_is_not_complained_about(flow):
    assert problems(flow) == []


def test_a_loop_that_never_ends_has_no_exit():
    flow = changed(", next: end}", ", next: ask}").replace("message: Sorry.", "message: Sorry., next: ask")

    assert [each.rule for each in problems(flow)] == ["no_exit"]


def test_an_unknown_target_is_told_once_and_not_as_an_unreachable_step_too():
    assert only_problem(changed("on_error: sorry", "on_error: sory")).rule == "unknown_step"


OTHER = """\
flow: other
description: Something else.
examples: [{example}]
slots: {amount: {type: money, prompt: How much?}}
steps: [{step: ask, type: collect, slot: amount}]
"""


@pytest.mark.parametrize("example", ["pay {amount} now", "Pay {amount}, now!", "now pay {amount}"])
def test_examples_that_two_flows_share_are_confusable(example):
    problem = only_problem(other=OTHER.replace("{example}", f'"{example}"'))

    assert (problem.rule, problem.severity, problem.path) == ("confusable", "warning", "other.examples.0")
    assert "`pay`" in problem.text


def test_examples_that_share_some_words_are_not():
    assert problems(other=OTHER.replace("{example}", "tell me what I have to pay")) == []


def test_a_flow_that_nothing_can_start_is_warned_of_and_one_that_is_called_is_not():
    child = OTHER.replace("{example}", "").replace("description:", "start: false\ndescription:")

    assert only_problem(other=child).rule == "never_started"
    assert problems(with_step("  - {step: c, type: call, flow: other, outputs: {amount: amount}}"), other=child) == []


def test_no_flow_is_said_never_to_start_while_a_document_cannot_be_read():
    child = OTHER.replace("{example}", "").replace("description:", "start: false\ndescription:")

    rules = {problem.rule for problem in problems(other=child, caller="flow: caller\nsteps: [{step: a, type: cal}]\n")}
    assert rules and "never_started" not in rules


def test_calls_are_checked_against_the_called_flow():
    child = OTHER.replace("{example}", "")
    call = "  - {step: c, type: call, flow: other, inputs: {amout: amount}, outputs: {kind: amount}}"

    found = problems(with_step(call), other=child)

    assert [(each.rule, each.path) for each in found] == [
        ("unknown_slot", "pay.steps.c.inputs.amout"),
        ("wrong_type", "pay.steps.c.outputs.kind"),
    ]


def test_a_flow_that_calls_itself_would_never_return():
    assert only_problem(with_step("  - {step: c, type: call, flow: pay}")).rule == "call_circle"
    assert problems(with_step("  - {step: c, type: link, flow: pay}"))[0].rule == "unreachable"


def test_a_retry_of_what_may_not_be_repeated_is_warned_of():
    once = ASSISTANT.replace("idempotent: true", "idempotent: false")

    problem = only_problem(changed("on_error: sorry}", "on_error: sorry, retry: {attempts: 2}}"), once)

    assert problem.rule == "unsafe_retry"


def test_an_input_that_may_be_empty_is_warned_of():
    flow = changed("{type: money, prompt", "{type: money, required: false, prompt")

    assert only_problem(flow).rule == "input_may_be_empty"


@pytest.mark.parametrize(
    ("written", "rule", "said"),
    [
        ("responses: {canceled: Hi}", "unknown_response", "Did you mean `cancelled`?"),
        ("responses: {cancelled: 'No {flw}'}", "unknown_slot", "Did you mean `flow`?"),
        ("responses: {cancelled: {english_uk: Hi}}", "language", "en or es"),
        ("responses: {cancelled: 3}", "text_type", "Write a text"),
        ("knowledge: {a: {questions: [Why?], answer: 'It is {amount}'}}", "unknown_slot", "Choose one of: `verified`"),
        ("knowledge: {a: {questions: [], answer: Because.}}", "too_short", "at least 1"),
        ("settings: {session_timeout: 30}", "duration", "30m"),
        ("settings: {resume: never}", "unknown_word", "`ask`, `auto`"),
        ("settings: {max_attempts: 0}", "greater_than_equal", "at least 1"),
        ("timezone: Mars/One", "timezone", "Europe/Rome"),
        ("language: english_us", "language", "en, es or es-MX"),
    ],
)
def test_assistant_yaml_is_checked_too(written, rule, said):
    problem = only_problem(assistant=f"{ASSISTANT}{written}\n")

    assert (problem.file, problem.line, problem.rule) == ("assistant.yaml", 11, rule)
    assert said in problem.advice


def test_a_slot_of_the_conversation_is_not_declared_again():
    flow = PAY.replace("slots:\n", "slots:\n  verified: {type: boolean, default: true}\n")

    assert only_problem(flow).rule == "declared_twice"


def test_a_slot_may_be_called_form():
    flow = PAY.replace("kind", "form")

    assert problems(flow) == []


def test_an_input_under_a_wrong_name_is_named_in_every_finding_about_it():
    found = problems(changed("call: charge,", "call: charge, inputs: {wat: amount},"))

    assert [each.rule for each in found] == ["missing_input", "unknown_input"]
    assert all("`wat`" in each.text for each in found)


OPENING = """\
flow: cancel
description: Cancels an order.
examples: ["cancel {order}", "my order {order} is wrong"]
slots:
  order: {type: text}
  method: {type: text}
  found: {type: text, required: false}
steps:
  - {step: look, type: call, flow: choose, inputs: {wanted: order, method: method}, outputs: {found: chosen}}
  - {step: done, type: say, message: "Cancelled {found|order}."}
"""
CHOOSE = """\
flow: choose
description: Chooses.
start: false
slots:
  wanted: {type: text, prompt: Which?}
  method: {type: text, required: false}
  chosen: {type: text, required: false}
steps:
  - {step: ask, type: collect, slot: wanted}
  - {step: keep, type: set, slots: {chosen: "=wanted"}}
"""


def test_values_of_an_opening_that_another_flow_is_given_are_not_missed():
    assert [each.rule for each in problems(cancel=OPENING, choose=CHOOSE)] == []


def test_a_slot_that_nothing_fills_nor_mentions_is_still_warned_of():
    found = problems(cancel=OPENING.replace("  found:", "  idle: {type: text}\n  found:"), choose=CHOOSE)

    assert [(each.rule, "`idle`" in each.text) for each in found] == [("never_asked", True)]


HELD = """\
flow: held
description: Holds.
examples: [hold it]
slots:
  zip: {type: text, prompt: Which zip code?}
  name: {type: text, prompt: Which name?}
steps:
  - {step: which, type: branch, cases: [{when: "%s", next: %s}], else: %s}
  - {step: ask_name, type: collect, slot: name}
  - {step: by_name, type: say, message: "{name}.", next: end}
  - {step: by_zip, type: say, message: "{zip}.", next: again}
  - {step: again, type: confirm, message: "Again?", on_deny: ask_zip}
  - {step: bye, type: say, message: Bye., next: end}
  - {step: ask_zip, type: collect, slot: zip, next: which}
"""


@pytest.mark.parametrize(
    "test",
    [
        ("filled(zip)", "by_zip", "ask_name"),
        ("zip == '80204'", "by_zip", "ask_name"),
        ("filled(zip) and name != 'x'", "by_zip", "ask_name"),
        ("not filled(zip)", "ask_name", "by_zip"),
        ("not filled(zip) or not filled(name)", "ask_name", "by_zip"),
    ],
)
def test_behind_a_test_whether_it_is_filled_a_slot_is_not_said_to_be_empty(test: tuple[str, str, str]):
    assert [each.text for each in problems(held=HELD % test)] == []


@pytest.mark.parametrize(
    "test", [("filled(name)", "by_zip", "ask_name"), ("filled(zip) or filled(name)", "by_zip", "ask_name")]
)
def test_behind_a_test_of_something_else_it_still_is(test: tuple[str, str, str]):
    found = [each for each in problems(held=HELD % test) if each.rule == "gap"]

    assert [each.text for each in found] == ["`zip` may be empty here and leave a gap in the text"]


def test_an_input_behind_a_test_whether_it_is_filled_is_not_said_to_be_empty():
    flow = changed("{type: money, prompt", "{type: money, required: false, prompt").replace(
        "  - {step: pay,",
        "  - {step: there, type: branch, cases: [{when: not filled(amount), next: sorry}]}\n  - {step: pay,",
    )

    assert [each.rule for each in problems(flow)] == []


def collecting_odd(slot: str) -> str:
    return changed("slots:\n", f"slots:\n  odd: {slot}\n", with_step("  - {step: odd, type: collect, slot: odd}"))


@pytest.mark.parametrize(
    ("slot", "reason"),
    [
        ("{type: list, items: {type: list, items: {type: text}}}", "its items are of the type `list`"),
        ("{type: list, items: {type: boolean}}", "its items are of the type `boolean`"),
        ("{type: object, fields: {inner: {type: object, fields: {a: {type: text}}}}}", "its field `inner`"),
        ("{type: list, items: {type: object, fields: {ok: {type: boolean}}}}", "its field `ok`"),
    ],
)
def test_a_value_that_no_message_can_give_is_not_collected(slot, reason):
    flow = collecting_odd(slot)

    found = [each for each in problems(flow) if each.rule == "not_collectable"]

    assert len(found) == 1
    assert reason in found[0].text


@pytest.mark.parametrize(
    "slot",
    [
        "{type: list, items: {type: text}}",
        "{type: list, items: {type: object, fields: {count: {type: integer}, dish: {type: text}}}}",
        "{type: object, fields: {street: {type: text}, gift: {type: boolean, required: false}}}",
    ],
)
def test_lists_of_texts_and_of_objects_may_be_collected(slot):
    flow = collecting_odd(slot)

    assert not [each for each in problems(flow) if each.rule == "not_collectable"]
