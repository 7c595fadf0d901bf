"""What an answer to an agent would send, shown before it is sent: the same as what the agent gets afterwards."""

import json

import pytest

from dialogue.desk.agent_requests.answers import request_view
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, InputFormat
from dialogue.models import AgentRequest, HITLSession
from tests.support.agents import CALL, agent_gate, agent_request
from tests.support.web.pages import text_of

pytestmark = pytest.mark.usefixtures("session")

SCHEMA = {
    "type": "object",
    "properties": {"amount": {"type": "number", "maximum": 500}, "order_id": {"type": "string"}, "note": {}},
    "required": ["amount"],
}
ASK = {"action_requests": [CALL], "review_configs": [{"action_name": "issue_refund", "args_schema": SCHEMA}]}
AS_PROPOSED = {"value.amount": "420.0", "value.order_id": "W4120331"}


def previews(browser, gate, **typed):
    answer = browser.post(f"/gates/{gate.name}/answers/", typed)
    assert answer.status_code == 200, answer.content
    facts = answer.json()
    return facts, {entry["action"]: entry for entry in facts["answers"]}


@pytest.mark.parametrize(
    ("action", "typed"),
    [
        ("approve", AS_PROPOSED),
        ("edit", {**AS_PROPOSED, "value.amount": "400"}),
        ("reject", {**AS_PROPOSED, "value.reason": "Too much"}),
        ("respond", {**AS_PROPOSED, "value.reason": "Ask the shop"}),
    ],
)
def test_the_preview_is_what_the_agent_gets(browser_of, olga, action, typed):
    gate = agent_gate(ask=ASK)
    before = HITLSession.objects.values().get(pk=gate.pk)

    shown = previews(browser_of(olga), gate, **typed)[1][action]["body"]
    after = HITLSession.objects.values().get(pk=gate.pk)
    values = {name.removeprefix("value."): value for name, value in typed.items()}
    service.submit(gate.pk, olga, Answer(action, values, InputFormat.TYPED, values.pop("reason", "")))

    assert before == after, "a preview stores nothing"
    assert json.loads(shown) == request_view(AgentRequest.objects.get())["answer"]


def test_the_button_counts_the_changes(browser_of, olga):
    gate, browser = agent_gate(ask=ASK), browser_of(olga)

    none, unchanged = previews(browser, gate, **AS_PROPOSED)
    two, changed = previews(browser, gate, **{"value.amount": "400", "value.order_id": "W1"})
    browser.post("/language/", {"language": "es", "next": "/"})
    one, spanish = previews(browser, gate, **{**AS_PROPOSED, "value.amount": "400"})

    assert (none["changed"], unchanged["edit"]["label"]) == ([], "Approve with changes")
    assert (two["changed"], two["changes"]) == (["amount", "order_id"], "2 changes by you")
    assert changed["edit"]["label"] == "Approve with 2 changes"
    assert "sends what was proposed" in changed["approve"]["problem"]
    assert (spanish["edit"]["label"], one["changes"]) == ("Aprobar con 1 cambio", "1 cambio de usted")


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ({"value.amount": "600"}, "At most 500"),
        ({"value.amount": "much"}, "g1.0"),
        ({"value.amount": ""}, "“Approve with changes” needs this value."),
        ({"value.note": "{"}, "This is not JSON"),
        ({"value.nothing": "x"}, "nothing"),
    ],
)
def test_a_value_that_cannot_be_sent_is_named_in_place_of_the_answer(browser_of, olga, typed, problem):
    gate = agent_gate(ask=ASK)

    edit = previews(browser_of(olga), gate, **{**AS_PROPOSED, **typed})[1]["edit"]

    assert edit["body"] == ""
    assert problem.replace("g1", gate.name) in edit["problem"]


def test_a_required_argument_is_called_required_and_no_proposed_one_optional(browser_of, olga):
    page = text_of(browser_of(olga).get(f"/gates/{agent_gate(ask=ASK).name}/"))

    assert "number, required" in page
    assert "at most 20000 characters, optional" in page, "the note was not proposed"
    assert page.count(", optional") == 1


def test_only_a_refusal_is_red_and_has_its_key(browser_of, olga):
    page = text_of(browser_of(olga).get(f"/gates/{agent_gate(ask=ASK).name}/"))

    assert page.count('data-key="x"') == 1
    assert page.count('class="btn danger"') == 1


@pytest.mark.parametrize("secret", ["blue-heron", 'blue"heron', "blue\\heron", "blue\nheron"])
def test_secrets_are_masked_for_people_who_may_not_see_them(browser_of, olga, audrey, secret):
    schema = {"properties": {"key": {"type": "string", "format": "password"}, "host": {"type": "string"}}}
    call = {"name": "deploy", "args": {"key": secret, "host": "db1"}}
    ask = {"action_requests": [call], "review_configs": [{"action_name": "deploy", "args_schema": schema}]}
    gate = agent_gate(ask=ask)

    seen = previews(browser_of(olga), gate, **{"value.host": "db2"})[1]["edit"]["body"]
    masked = previews(browser_of(audrey), gate, **{"value.host": "db2"})[1]["edit"]["body"]
    service.submit(gate.pk, olga, Answer("edit", {"host": "db2"}))
    request_view(AgentRequest.objects.get())  # as the agent fetches it
    sent = text_of(browser_of(audrey).get(f"/gates/{gate.name}/"))

    assert json.dumps(secret) in seen
    assert "db2" in masked
    assert "edited_action" in sent
    assert "heron" not in masked
    assert "heron" not in sent


def test_a_secret_that_a_person_typed_is_masked_in_what_was_sent(browser_of, olga, audrey):
    schema = {"properties": {"key": {"type": "string", "format": "password"}}}
    call = {"name": "deploy", "args": {"key": "k3-secret"}}
    ask = {"action_requests": [call], "review_configs": [{"action_name": "deploy", "args_schema": schema}]}
    gate = agent_gate(ask=ask)

    service.submit(gate.pk, olga, Answer("edit", {"key": 'typed"heron'}))
    assert request_view(AgentRequest.objects.get())["answer"]["decisions"][0]["edited_action"]["args"] == {
        "key": 'typed"heron'
    }

    page = text_of(browser_of(audrey).get(f"/gates/{gate.name}/"))
    assert "edited_action" in page
    assert "heron" not in page


def test_what_was_sent_masks_the_secrets_of_the_other_questions_too(browser_of, olga, audrey):
    schema = {"properties": {"key": {"type": "string", "format": "password"}}}
    calls = [{"name": "look_up", "args": {"order": "W1"}}, {"name": "deploy", "args": {"key": "k3-secret"}}]
    config = {"action_name": "deploy", "args_schema": schema}
    request = agent_request(ask={"action_requests": calls, "review_configs": [config]})
    first, second = HITLSession.objects.filter(agent_pause__request=request).order_by("agent_pause__position")

    service.submit(first.pk, olga, Answer("approve"))
    service.submit(second.pk, olga, Answer("edit", {"key": "blue-heron"}))
    request_view(AgentRequest.objects.get())
    page = text_of(browser_of(audrey).get(f"/gates/{first.name}/"))

    assert "edited_action" in page
    assert "heron" not in page


def test_each_question_of_a_request_previews_its_own_answer(browser_of, olga):
    request = agent_request(ask={"action_requests": [CALL, {**CALL, "name": "close_case", "args": {}}]})
    second = HITLSession.objects.get(agent_pause__request=request, agent_pause__position=1)

    answers = previews(browser_of(olga), second)[1]

    assert '"type": "approve"' in answers["approve"]["body"]
    assert "go with it" in text_of(browser_of(olga).get(f"/gates/{second.name}/"))


def test_our_own_gates_and_decided_ones_have_no_preview(browser_of, olga, session):
    gate, browser = agent_gate(), browser_of(olga)
    service.submit(gate.pk, olga, Answer("approve"))

    answers = [browser.post(f"/gates/{row.name}/answers/", {}).status_code for row in (session, gate)]

    assert answers == [404, 404]
