"""Flows over HTTP: checking, saving, editing."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.desk.access.people import Caller
from dialogue.library.documents.versions import store_documents
from dialogue.models import Assistant, AuditEntry, Flow, FlowDraft, FlowVersion
from tests.support.releases import demo
from tests.support.transfers import person

FLOW = "/api/v1/assistants/bank/flows/check_balance"
TEXT = demo("bank")["check_balance.yaml"]


@pytest.fixture
def bank(payments: object) -> Assistant:
    return store_documents(demo("bank"))


@pytest.fixture
def arthurs(browser_of: Any, arthur: Caller) -> Client:
    client: Client = browser_of(arthur)
    return client


def send(client: Client, method: str, path: str, **body: Any) -> Any:
    return client.generic(method, path, json.dumps(body), "application/json")


def test_a_text_is_checked_with_places_and_what_was_meant(bank: Assistant, arthurs: Client):
    broken = demo("bank")["transfer_money.yaml"].replace("else: send", "else: sned")

    answer = send(arthurs, "POST", "/api/v1/assistants/bank/check", flow="transfer_money", text=broken).json()

    problem = next(each for each in answer["problems"] if each["rule"] == "unknown_step")
    assert problem["line"] == 1 + broken[: broken.index("sned")].count("\n")
    assert (problem["file"], problem["meant"]) == ("transfer_money.yaml", "send")


def test_a_check_tells_its_findings_in_the_callers_language_beside_the_english_of_programs(
    bank: Assistant, arthurs: Client
):
    broken = demo("bank")["transfer_money.yaml"].replace("else: send", "else: sned")
    arthurs.post("/language/", {"language": "es", "next": "/"})

    answer = send(arthurs, "POST", "/api/v1/assistants/bank/check", flow="transfer_money", text=broken).json()

    problem = next(each for each in answer["problems"] if each["rule"] == "unknown_step")
    assert (problem["text"], problem["advice"]) == ("there is no step `sned`", "Did you mean `send`?")
    assert problem["words"]["text"] == "no existe el paso `sned`"
    assert problem["words"]["field_advice"] == "¿Quería decir `send`?"


def test_the_graph_of_a_text_comes_with_its_check_and_says_where_each_way_stands(bank: Assistant, arthurs: Client):
    text = demo("bank")["transfer_money.yaml"]

    answer = send(arthurs, "POST", "/api/v1/assistants/bank/check", flow="transfer_money", text=text).json()

    assert [each for each in answer["problems"] if each["severity"] == "error"] == []
    ways = {(edge["from"], edge["way"]) for edge in answer["graph"]["edges"]}
    assert ("over_limit", "else") in ways
    assert ("approval", "next.reject") in ways


def test_a_text_that_is_no_flow_has_no_graph(bank: Assistant, arthurs: Client):
    answer = send(arthurs, "POST", "/api/v1/assistants/bank/check", flow="check_balance", text="flow: [").json()

    assert answer["graph"] is None
    assert answer["problems"][0]["code"] == "E-YAML"
    assert answer["sketch"] is None


def test_a_text_with_errors_has_a_sketch_instead_of_its_graph(bank: Assistant, arthurs: Client):
    broken = demo("bank")["transfer_money.yaml"].replace("type: money", "type: choice", 1)

    answer = send(arthurs, "POST", "/api/v1/assistants/bank/check", flow="transfer_money", text=broken).json()

    assert answer["graph"] is None
    assert {"from": "approval", "to": "send", "label": "approve", "way": "next.approve"} in answer["sketch"]["edges"]


def test_saving_makes_a_version_with_author_and_note_and_the_record_says_so(bank: Assistant, arthurs: Client):
    answer = send(arthurs, "PUT", FLOW, text=TEXT + "# hers\n", base_version=1, note="Said why")

    assert answer.status_code == 201
    version = FlowVersion.objects.get(flow__name="check_balance", number=2)
    assert (str(version.author), version.note) == ("arthur", "Said why")
    assert AuditEntry.objects.filter(act="flow_saved", actor="arthur").count() == 1
    assert arthurs.get(FLOW).json()["version"] == 2


def test_who_was_slower_gets_the_others_text_and_keeps_their_own(bank: Assistant, arthurs: Client, browser_of: Any):
    anna: User = person("anna", "Anna Holm", "flow authors")
    send(browser_of(anna), "PUT", FLOW, text=TEXT + "# hers\n", base_version=1)

    answer = send(arthurs, "PUT", FLOW, text=TEXT + "# his\n", base_version=1)

    assert answer.status_code == 409
    assert answer.json()["theirs"]["text"].endswith("# hers\n")
    assert answer.json()["theirs"]["author"] == "anna"
    assert FlowDraft.objects.get(author__username="arthur").text.endswith("# his\n")


def test_a_text_with_errors_stays_a_draft_of_its_author(bank: Assistant, arthurs: Client):
    answer = send(arthurs, "PUT", FLOW, text="flow: check_balance\nsteps: [", base_version=1)

    assert answer.status_code == 422
    assert answer.json()["problems"][0]["line"] == 2
    assert arthurs.get(FLOW).json()["draft"]["text"] == "flow: check_balance\nsteps: ["
    assert arthurs.get(FLOW).json()["version"] == 1


def test_two_authors_drafts_stand_beside_each_other(bank: Assistant, arthurs: Client, browser_of: Any):
    annas = browser_of(person("anna", "Anna Holm", "flow authors"))

    send(arthurs, "POST", f"{FLOW}/draft", text="his words", base_version=1)
    send(annas, "POST", f"{FLOW}/draft", text="her words", base_version=1)

    assert arthurs.get(FLOW).json()["draft"]["text"] == "his words"
    assert annas.get(FLOW).json()["draft"]["text"] == "her words"
    assert Flow.objects.get(name="check_balance").draft == "her words"


def test_an_edit_on_the_graph_is_told_as_changes_of_the_text(bank: Assistant, arthurs: Client):
    text = demo("bank")["transfer_money.yaml"]

    answer = send(arthurs, "POST", f"{FLOW}/edit", text=text, act="rename", words=["approval", "second_look"]).json()
    refused = send(arthurs, "POST", f"{FLOW}/edit", text=text, act="rename", words=["approval", "Two words"])

    assert answer["select"] == "second_look"
    assert {change["insert"] for change in answer["changes"]} == {"second_look"}
    assert refused.status_code == 422
    assert refused.json()["code"] == "edit_refused"


def test_a_value_that_is_set_in_a_field_is_told_as_changes_with_problems_graph_and_values(
    bank: Assistant, arthurs: Client
):
    text = demo("bank")["transfer_money.yaml"]
    edit = {"step": "approval", "path": ["title"], "value": "Approve {amout}"}

    answer = send(arthurs, "POST", f"{FLOW}/values", text=text, edits=[edit]).json()
    deletion = {"step": "approval", "path": ["title"]}
    without = send(arthurs, "POST", f"{FLOW}/values", text=text, edits=[deletion]).json()
    refused = send(arthurs, "POST", f"{FLOW}/values", text=text, edits=[{**edit, "step": "nowhere"}])

    (change,) = answer["changes"]
    assert "Approve {amout}" in text[: change["from"]] + change["insert"] + text[change["to"] :]
    step = answer["document"]["steps"]["approval"]
    assert answer["document"]["tree"]["steps"][step["path"][1]]["title"] == "Approve {amout}"
    assert step["from"] < step["to"]
    assert {problem["path"] for problem in without["problems"]} >= {"transfer_money.steps.approval.title"}
    assert without["graph"] is None
    assert refused.status_code == 422
    assert refused.json()["code"] == "edit_refused"


def test_a_document_is_formatted_unless_it_cannot_be_read(bank: Assistant, arthurs: Client):
    answer = send(arthurs, "POST", f"{FLOW}/format", flow="check_balance", text=TEXT + "\n\n").json()

    assert answer["text"].endswith("\n")
    assert send(arthurs, "POST", f"{FLOW}/format", flow="check_balance", text="a: [").status_code == 422


def test_the_schema_names_what_the_assistant_has(bank: Assistant, arthurs: Client):
    schema = arthurs.get("/api/v1/assistants/bank/schema.json").json()

    calls = schema["$defs"]["Action"]["properties"]["call"]
    assert "send_money" in calls["enum"]
    assert calls["x-refers"] == "action"


def test_the_schema_describes_keys_in_the_readers_language(bank: Assistant, arthurs: Client):
    arthurs.post("/language/", {"language": "es", "next": "/"})

    schema = arthurs.get("/api/v1/assistants/bank/schema.json").json()

    assert schema["$defs"]["Human"]["properties"]["show"]["description"] == "Los datos que ve el personal."


def test_the_schema_has_the_groups_that_flows_may_ask_with_the_people_who_may_decide(bank: Assistant, arthurs: Client):
    person("olga", "Olga Petrov", "refunds", "operators")
    person("oscar", "Oscar Nilsson", "refunds")

    schema = arthurs.get("/api/v1/assistants/bank/schema.json").json()

    assert schema["x-groups"]["refunds"] == 1
    assert "flow authors" not in schema["x-groups"]


def test_operators_read_and_do_not_write(bank: Assistant, browser_of: Any, olga: Caller):
    olgas = browser_of(olga)

    assert olgas.get(FLOW).status_code == 200
    assert send(olgas, "PUT", FLOW, text=TEXT, base_version=1).status_code == 403
    assert send(olgas, "POST", f"{FLOW}/draft", text="x", base_version=1).status_code == 403


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"], ids=["NUL", "half a pair"])
@pytest.mark.parametrize(("method", "path"), [("PUT", FLOW), ("POST", f"{FLOW}/draft")])
def test_a_text_that_no_database_stores_is_refused_with_words(
    method: str, path: str, text: str, bank: Assistant, arthurs: Client
):
    assert send(arthurs, method, path, text=text, base_version=1).status_code == 422


def test_why_an_edit_of_the_graph_is_refused_is_told_in_the_callers_language(bank: Assistant, arthurs: Client):
    arthurs.post("/language/", {"language": "es", "next": "/"})

    answer = send(arthurs, "POST", f"{FLOW}/edit", text=TEXT, act="add", words=["show", "say", "more"])

    assert answer.status_code == 422
    assert answer.json()["detail"] == "No existe el paso `show`."
