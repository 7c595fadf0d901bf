"""A confirm's further answers on the graph, in edits of it, in scenarios' tools; a step's metadata in the API."""

from typing import Any

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.library.documents.flow_text import apply_changes
from dialogue.library.documents.graph_edits import EDITS
from dialogue.models import HITLSession
from dialogue.scenarios.format.schema import scenario_schema
from dialogue.scenarios.outcome.coverage import AssistantCoverage, branch_targets
from dialogue.web.flows.graph import graph_of
from tests.engine.dialogue.test_answers import PAY
from tests.support.engine.small_flows import documents
from tests.support.releases import publish
from tests.web.api.conftest import Program

SHOP = load_assistant(documents(PAY))
FLOW = SHOP.flows["pay"]


def test_every_answer_is_a_line_of_its_own_with_its_label() -> None:
    drawn = graph_of(FLOW, {}, {})

    lines = [(edge.label, edge.target, edge.exit_key) for edge in drawn.edges if edge.source == "sure"]
    assert lines == [
        ("yes", "pay", "on_confirm"),
        ("Pay tomorrow", "postponed", "options.2.next"),
        ("other", "again", "options.3.next"),
    ]


def test_an_answer_is_led_elsewhere_and_follows_the_step_that_gets_another_name() -> None:
    led = apply_changes(PAY, EDITS["connect"](PAY, "sure", "options.3.next", "ask").changes)
    renamed = apply_changes(PAY, EDITS["rename"](PAY, "postponed", "another_day").changes)
    without = apply_changes(PAY, EDITS["delete"](PAY, "postponed").changes)

    assert "{value: other, next: ask}" in led
    assert "next: another_day}" in renamed
    assert "- {step: another_day," in renamed
    assert "postponed" not in renamed
    assert "postponed" not in without
    load_assistant(documents(renamed))


def test_the_answers_are_arms_that_scenarios_reach_or_not() -> None:
    assert branch_targets(FLOW, FLOW.step("sure")) == {"pay", "postponed", "again"}
    reached = AssistantCoverage(SHOP, steps={("pay", "sure")}, arms={("pay", "sure", "pay")})
    missed = list(reached.missed_items())
    assert "branch pay.sure to postponed" in missed
    assert "command choose" in missed


def test_an_assistant_without_such_a_confirm_is_not_asked_for_the_command() -> None:
    assert "command choose" not in list(AssistantCoverage(load_assistant(documents())).missed_items())


def test_the_editor_of_scenarios_completes_the_answers() -> None:
    schema: Any = scenario_schema(SHOP)

    commands = schema["$defs"]["Turn"]["properties"]["commands"]["items"]["anyOf"][1]["properties"]
    assert commands["choose"]["enum"] == ["later", "other"]


@pytest.mark.django_db(transaction=True)
def test_what_a_step_carries_for_programs_is_in_the_api_and_kept_with_the_pause() -> None:
    publish(documents(PAY))
    opened = Program().post("/conversations", assistant="shop").json()
    ursula = Program(opened["token"])

    said = ursula.post(f"/conversations/{opened['id']}/messages", id="m1", text="pay 20 now").json()
    assert "metadata" not in said["pending"][0]
    asked = ursula.post(f"/conversations/{opened['id']}/messages", id="m2", choice="card").json()

    assert asked["pending"][0]["metadata"] == {"widget": "card", "urgent": True}
    assert [each["value"] for each in asked["messages"][-1]["buttons"]] == ["yes", "no", "later", "other"]
    answered = ursula.post(f"/conversations/{opened['id']}/messages", id="m3", choice="later").json()
    assert answered["messages"][-1]["text"] == "Tomorrow then."
    session = HITLSession.objects.get(kind="confirm")
    assert (session.handle, session.metadata) == ("later", {"widget": "card", "urgent": True})
