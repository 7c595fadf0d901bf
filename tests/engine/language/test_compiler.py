from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import ValidationError

from dialogue.engine.language.compiler import (
    Action,
    Assign,
    Branch,
    FlowProblems,
    Human,
    Slot,
    While,
    check_documents,
    json_schema,
    load_assistant,
)
from dialogue.engine.language.reference import language_reference
from dialogue.engine.source.problems import did_you_mean, nearest_name
from tests.support.engine.small_flows import (
    APPROVAL,
    ASSISTANT,
    PAY,
    changed,
    documents,
    only_problem,
    problems,
    shop,
    with_step,
)

DEMO = Path(__file__).parents[3] / "dialogue" / "library" / "demo" / "assistants"


@pytest.mark.parametrize("name", ["bank", "library"])
def test_the_demo_assistants_have_no_errors_and_warn_of_unhandled_failures_only(name):
    found = check_documents({path.name: path.read_text() for path in (DEMO / name).glob("*.yaml")})

    assert {(each.severity, each.rule) for each in found} == {("warning", "no_failure_branch")}


def test_documents_become_an_assistant_with_its_flows():
    assistant = shop()

    assert (assistant.assistant, list(assistant.flows)) == ("shop", ["pay"])
    assert assistant.actions["charge"].inputs["note"].required is False
    assert assistant.actions["charge"].timeout == timedelta(seconds=10)
    assert assistant.slot("pay", "amount") is assistant.flows["pay"].slots["amount"]
    assert assistant.slot("pay", "verified") is assistant.slots["verified"]
    assert assistant.slot("pay", "nothing") is None


def test_names_stand_on_slots_contracts_and_topics():
    assistant = shop(assistant=ASSISTANT + "knowledge: {hours: {questions: [When?], answer: Always.}}\n")

    assert assistant.flows["pay"].slots["amount"].name == "amount"
    assert assistant.actions["charge"].name == "charge"
    assert assistant.actions["charge"].inputs["amount"].name == "amount"
    assert assistant.knowledge["hours"].topic == "hours"


def test_what_an_author_leaves_out_has_its_default():
    settings = shop().settings

    assert (settings.resume, settings.max_attempts, settings.max_steps_per_turn) == ("auto", 3, 200)
    assert settings.session_timeout == timedelta(days=30)


def test_a_scenario_may_run_with_other_settings():
    assistant = shop()

    assert assistant.with_settings(resume="ask").settings.resume == "ask"
    assert assistant.with_settings(resume="ask").flows == assistant.flows
    with pytest.raises(ValidationError):
        assistant.with_settings(unknown=1)


def test_the_digest_changes_with_the_text_and_not_with_the_order():
    texts = documents()
    turned = dict(reversed(list(texts.items())))

    assert load_assistant(texts).digest == load_assistant(turned).digest
    assert load_assistant(texts).digest != shop(PAY + "# a remark\n").digest


def test_each_step_knows_what_follows():
    flow = shop(
        with_step(
            "  - step: again\n    type: while\n    condition: amount > 100\n"
            "    do: [{step: drop, type: set, slots: {amount: ~}}, {step: anew, type: collect, slot: amount}]"
        )
    ).flows["pay"]

    assert [each.step for each in flow.all_steps()][2:6] == ["again", "drop", "anew", "sure"]
    assert (flow.following_step("drop"), flow.following_step("anew"), flow.following_step("again")) == (
        "anew",
        "again",
        "sure",
    )
    assert (flow.next_step("done"), flow.next_step("sorry"), flow.next_step("ask")) == ("end", "end", "how")
    assert isinstance(flow.step("again"), While)
    assert flow.has_step("anew") and not flow.has_step("nothing")


def test_an_expression_is_told_from_a_literal_by_its_equals_sign():
    step = (
        shop(with_step("  - {step: s, type: set, slots: {amount: '=amount * 2', kind: cash, receipt: ~}}"))
        .flows["pay"]
        .step("s")
    )

    assert isinstance(step, Assign)
    assert str(step.slots["amount"]) == "amount * 2"
    assert (step.slots["kind"], step.slots["receipt"]) == ("cash", None)


def test_a_human_step_has_its_actions_its_form_and_its_time():
    step = shop(changed("  - {step: pay", APPROVAL + "  - {step: pay")).flows["pay"].step("boss")

    assert isinstance(step, Human)
    assert step.timeout == timedelta(minutes=30)
    assert [(each.id, each.label, each.reason) for each in step.actions] == [
        ("approve", "Approve", False),
        ("reject", "Reject", True),
    ]
    assert (step.form["limit"].type, step.form["why"].required) == ("integer", False)
    assert step.bind == step.show == ("amount",)
    assert (step.expiry_action, step.expiry_step) == ("reject", "sorry")


def test_role_is_another_word_for_group_and_required_is_a_number_of_people():
    wanted = "    group: payments\n    required: 2\n    claim: required\n    channels: [ana@example.org, payments]\n"
    step = shop(changed("  - {step: pay", APPROVAL + wanted + "  - {step: pay")).flows["pay"].step("boss")
    other = shop(changed("  - {step: pay", APPROVAL + "    role: payments\n  - {step: pay")).flows["pay"].step("boss")

    assert isinstance(step, Human) and isinstance(other, Human)
    assert step.group == other.group == "payments"
    assert (step.required_people, step.claim) == (2, True)
    assert [(each.email, each.role) for each in step.channels] == [("ana@example.org", None), (None, "payments")]


def test_an_action_may_be_tried_again_and_has_a_time_limit():
    step = shop(changed("on_error: sorry}", "on_error: sorry, timeout: 5s, retry: {delay: 2s, backoff: 1.5}}")).flows[
        "pay"
    ]
    action = step.step("pay")

    assert isinstance(action, Action) and action.retry
    assert (action.timeout, action.retry.attempts) == (timedelta(seconds=5), 3)
    assert (action.retry.delay, action.retry.backoff) == (timedelta(seconds=2), 1.5)


def test_a_branch_has_compiled_conditions():
    flow = shop(with_step("  - {step: b, type: branch, cases: [{when: amount > 5, next: done}], else: sure}")).flows[
        "pay"
    ]
    branch = flow.step("b")

    assert isinstance(branch, Branch)
    assert branch.cases[0].when.slots == {"amount"}
    assert branch.otherwise == "sure"


def test_limits_of_money_are_exact():
    slot = shop(changed("How much?}", "How much?, minimum: 0.10}")).flows["pay"].slots["amount"]

    assert slot.minimum == Decimal("0.10")


def test_messages_and_labels_may_carry_translations():
    flow = shop(
        changed("options: [card, cash]", "options: [{value: card, label: {en: card, es: tarjeta}}, cash]").replace(
            "message: Sorry.", "message: {en: Sorry., es: Lo siento.}"
        )
    ).flows["pay"]

    assert flow.slots["kind"].options[0].label.in_language("es") == "tarjeta"
    assert flow.slots["kind"].options[0].label == "card"
    assert flow.step("sorry").message.in_language("es").text == "Lo siento."  # type: ignore[union-attr]


def test_an_assistant_of_another_language_writes_its_texts_in_it():
    spanish = ASSISTANT.replace("title: Shop", "title: Tienda\nlanguage: es")

    assert only_problem(changed("message: Sorry.", "message: {en: Sorry.}"), spanish).rule == "translation_missing"


def test_a_model_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        shop().settings.max_attempts = 9  # type: ignore[misc]


def test_loading_raises_with_every_problem():
    with pytest.raises(FlowProblems) as refused:
        shop(changed("prompt: How much?", "propmt: How much?").replace("slot: kind", "slot: kin"))

    assert [each.rule for each in refused.value.problems] == ["unknown_key"]
    assert str(refused.value) == ("pay.yaml:6:25: E-FLOW: unknown key `propmt`. Did you mean `prompt`?")


def test_warnings_alone_do_not_keep_an_assistant_from_loading():
    flow = changed(", on_error: sorry}", "}").replace("  - {step: sorry, type: say, message: Sorry.}\n", "")

    assert [each.severity for each in problems(flow)] == ["warning"]
    assert shop(flow).assistant == "shop"


def test_problems_name_their_path_by_steps():
    problem = only_problem(changed("on_error: sorry", "on_error: sory"))

    assert problem.path == "pay.steps.pay.on_error"
    assert (problem.file, problem.severity) == ("pay.yaml", "error")


def test_a_folder_without_an_assistant_says_how_to_begin_one():
    found = check_documents({"pay.yaml": PAY})

    assert (found[0].file, found[0].rule) == ("assistant.yaml", "no_assistant")
    assert "version: 1" in found[0].advice


def test_one_unreadable_flow_leaves_the_others_checked():
    found = problems(with_step("  - {step: c, type: call, flow: other}"), other="flow: other\n\tbad: tab\n")

    assert [(each.file, each.code) for each in found] == [("other.yaml", "E-YAML")]


def test_a_file_is_named_for_its_flow():
    problem = problems(PAY, other=PAY.replace("flow: pay", "flow: othr").replace("pay {amount}", "settle {amount}"))[0]

    assert problem.rule == "file_name"
    assert "othr.yaml" in problem.advice


def test_files_may_stand_in_a_folder():
    assert check_documents({"shop/assistant.yaml": ASSISTANT, "shop/pay.yaml": PAY}) == []


def test_contracts_without_a_python_action_are_errors_where_the_actions_are_known():
    assert check_documents(documents(), registered={"charge"}) == []
    found = check_documents(documents(), registered={"charge_card"})

    assert [(each.rule, each.advice) for each in found] == [("unregistered_action", "Did you mean `charge_card`?")]


def test_the_nearest_known_name_is_advised():
    assert nearest_name("propmt", ["prompt", "pattern"]) == "prompt"
    assert did_you_mean("xyz", ["one", "two"]) == "Choose one of: `one`, `two`"
    assert did_you_mean("xyz", []) == ""


def test_the_json_schema_knows_every_kind_of_step():
    schema = json_schema()

    assert {"Say", "Collect", "Confirm", "Assign", "Branch", "While", "Call", "Link", "Human", "Handoff"} <= set(
        schema["$defs"]
    )
    assert schema["$defs"]["Flow"]["properties"]["if"]
    assert schema["$defs"]["Slot"]["additionalProperties"] is False


def test_the_json_schema_of_an_assistant_names_its_own_slots_and_steps():
    schema = json_schema(shop())

    assert schema["$defs"]["Collect"]["properties"]["slot"]["enum"] == ["amount", "kind", "receipt", "verified"]
    assert "charge" in schema["$defs"]["Action"]["properties"]["call"]["enum"]
    assert "end" in str(schema["$defs"]["Branch"]["properties"]["else"])


def test_a_slot_of_python_has_no_name_until_it_is_declared():
    assert Slot(type="text").name == ""


def test_the_reference_explains_every_key():
    chapters = {each.name: each for each in language_reference()}

    unexplained = [f"{each.name}.{key.name}" for each in chapters.values() for key in each.keys if not key.description]
    assert [each for each in unexplained if not each.endswith(".type")] == []
    assert list(chapters)[:3] == ["Assistant", "Flow", "Slot"]
    assert all(each.description for each in chapters.values())


def test_the_reference_says_what_may_stand_at_a_key():
    keys = {key.name: key for each in language_reference() if each.name == "Human" for key in each.keys}

    assert keys["priority"].kind == "one of: low, normal, high, urgent or expression"
    assert keys["priority"].default == "normal"
    assert (keys["timeout"].required, keys["due"].required) == (True, False)
    assert keys["actions"].kind == "list of HumanAction"
    assert keys["next"].kind == "map of names to text"
    assert keys["title"].kind == "text, or a text for each language"
    assert keys["role"].kind == keys["group"].kind == "text"
