"""The scenarios page: saved from the test console, run, compared, edited, taken in and given out."""

import io
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from dialogue.desk.access.people import Caller
from dialogue.library.documents.versions import Edit, keep_draft, store_documents
from dialogue.library.nlu_programs.background_runs import RunAlreadyActive
from dialogue.library.releases.releases import publish
from dialogue.library.releases.test_conversations import draft_documents
from dialogue.models import Assistant, Conversation, Release, Scenario, ScenarioDocument, ScenarioRun
from dialogue.scenarios.format.stored import replace_document
from dialogue.scenarios.runs import MAX_SILENCE, close_lost_runs, open_run, store_result
from dialogue.turns import clock
from dialogue.web.scenarios.page import definition_to_test, scenario_result
from tests.support.releases import demo
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db

TEXT = """\
# what everybody asks
assistant: ../assistants/bank
scenarios:
  - name: asks for the balance
    turns:
      - user: what is my balance
        commands: [{start_flow: check_balance}]
        expect: {stack: []}
  - name: begins a transfer
    turns:
      - user: send 6000 to Anna
        commands: [{start_flow: transfer_money}, {set_slot: {beneficiary: Anna, amount: 6000}}]
        expect: {stack: ["transfer_money!human"]}
      - user: nothing more
        commands: [cancel_flow]
"""


@pytest.fixture
def bank(payments: object) -> Assistant:
    return store_documents(demo("bank"))


@pytest.fixture
def author(bank: Assistant, arthur: Caller, browser_of: Browser) -> Client:
    """Arthur, a flow author, in his browser."""
    return browser_of(arthur)


@pytest.fixture
def document(bank: Assistant) -> ScenarioDocument:
    return replace_document(bank, "everybody", TEXT)


RESULT: dict[str, Any] = {
    "file": "scenarios/everybody.yaml",
    "name": "begins a transfer",
    "passed": False,
    "seconds": 0.25,
    "differences": [],
    "reach": {
        "steps": [["transfer_money", "ask_beneficiary"], ["transfer_money", "over_limit"]],
        "arms": [["transfer_money", "over_limit", "send"]],
        "commands": ["start_flow", "set_slot"],
    },
    "turns": [
        {
            "number": 1,
            "title": "user: send 6000 to Anna",
            "differences": [{"what": "stack", "expected": "transfer_money!human", "got": "nothing"}],
            "seen": {
                "messages": [{"key": "say:done"}],
                "stack": [],
                "path": [["transfer_money", "ask_beneficiary", "ask_iban"], ["transfer_money", "over_limit", "send"]],
                "simulated": ["check_payee"],
            },
        },
        {"number": 2, "title": "user: nothing more", "differences": [], "seen": {"messages": [], "stack": []}},
    ],
}


@pytest.fixture
def failed(bank: Assistant, document: ScenarioDocument) -> Scenario:
    """The second scenario, which went another way than expected."""
    store_result(open_run(bank, draft_documents(bank), None), RESULT)
    return Scenario.objects.get(title="begins a transfer")


def test_every_scenario_of_a_document_is_a_row(author: Client, document: ScenarioDocument):
    page = text_of(author.get("/scenarios/bank/"))

    assert [row.title for row in document.scenarios.all()] == ["asks for the balance", "begins a transfer"]
    assert "asks for the balance" in page
    assert "begins a transfer" in page


def test_the_first_difference_is_shown_as_fact(author: Client, failed: Scenario):
    response = author.get(f"/scenarios/bank/?s={failed.pk}")
    result, page = response.context["result"], text_of(response)

    assert [turn.state for turn in result.turns] == ["differs", "not_compared"]
    assert (
        result.wrong_exit.step,
        result.wrong_exit.taken_target,
        result.wrong_exit.expected_target,
    ) == ("over_limit", "send", "approval")
    assert "Turn 1 differs: Where it stands" in page
    assert [(each.what, each.expected, each.got) for each in result.turns[0].differences] == [
        ("Where it stands", "Send money: waits for staff", "nothing")
    ]
    assert "First difference: at “over limit”." in page
    assert "It went on to “send”; the way that was expected leads over “Approve transfer”." in page


def test_a_refusal_that_was_expected_is_said(bank: Assistant, document: ScenarioDocument):
    seen = {"messages": [{"key": "ask:iban"}], "stack": ["transfer_money?iban"]}
    turn = {"number": 1, "title": "operator: submit reject", "differences": [], "seen": seen, "expected_status": 422}
    scenario = Scenario(document=document, passed=True, result={**RESULT, "turns": [turn]})

    result = scenario_result(scenario, definition_to_test(bank)[0])

    assert result is not None
    played = result.turns[0]
    assert (played.actor, played.text) == ("Operator", "answers: reject")
    assert played.outcome == "Asked: IBAN · Send money: waits for “IBAN”"
    assert played.refusal == "Refused, as expected: the answer is not complete or not valid"


def test_a_turn_says_which_actions_were_simulated(author: Client, failed: Scenario):
    page = text_of(author.get(f"/scenarios/bank/?s={failed.pk}"))

    assert page.count("Simulated: check_payee") == 1


def test_the_coverage_counts_the_scenarios_through_each_step(author: Client, failed: Scenario):
    response = author.get(f"/scenarios/bank/?s={failed.pk}")
    coverage, drawing = response.context["coverage"], response.context["drawing"]

    assert coverage.flow == "transfer_money"
    assert coverage.steps == {"ask_beneficiary": 1, "over_limit": 1}
    assert "approval" in coverage.unreached_steps
    assert (drawing["got"], drawing["want"]) == (["over_limit", "send"], ["over_limit", "approval"])
    assert "say it again" in response.context["untested_commands"]
    assert 'class="expected"' in text_of(response)


def test_the_legend_explains_what_was_expected_only_where_that_is_drawn(author: Client, document: ScenarioDocument):
    assert 'class="expected"' not in text_of(author.get("/scenarios/bank/"))


def test_the_list_is_searched_and_narrowed(author: Client, failed: Scenario):
    assert "asks for the balance" not in text_of(author.get("/scenarios/bank/?view=failed"))
    assert "begins a transfer" not in text_of(author.get("/scenarios/bank/?view=waiting"))
    assert "begins a transfer" not in text_of(author.get("/scenarios/bank/?q=balance"))


def test_a_list_of_many_is_paged_and_its_queries_do_not_grow(
    author: Client, document: ScenarioDocument, django_assert_max_num_queries: Any
):
    more = [
        Scenario(assistant=document.assistant, document=document, place=place, title=f"one more {place}", turns=1)
        for place in range(2, 120)
    ]
    Scenario.objects.bulk_create(more)

    with django_assert_max_num_queries(16):
        first = author.get("/scenarios/bank/")
    second = author.get(f"/scenarios/bank/?after={first.context['page'].next}")

    assert len(first.context["rows"]) == len(second.context["rows"]) == 50


def test_a_text_is_saved_byte_for_byte_and_its_results_are_forgotten(author: Client, failed: Scenario):
    changed = TEXT.replace("# what everybody asks", "# what nearly everybody asks")

    response = author.post("/scenarios/bank/of/everybody/", {"text": changed, "version": "1"})

    assert response.status_code == 302
    assert author.get("/scenarios/bank/of/everybody/download/").content.decode() == changed
    assert not Scenario.objects.filter(passed__isnull=False).exists()


def test_a_text_that_makes_no_scenario_is_said_with_its_line_and_stays(author: Client, document: ScenarioDocument):
    wrong = TEXT.replace("turns:", "trns:", 1)

    response = author.post("/scenarios/bank/of/everybody/", {"text": wrong, "version": "1"})

    assert response.status_code == 422
    assert "Line 5, column" in text_of(response)
    assert "trns:" in text_of(response)
    document.refresh_from_db()
    assert document.text == TEXT


def test_who_saves_second_sees_what_the_first_wrote_and_loses_nothing(author: Client, document: ScenarioDocument):
    replace_document(document.assistant, "everybody", TEXT.replace("Anna", "Berta"))

    response = author.post("/scenarios/bank/of/everybody/", {"text": TEXT.replace("Anna", "Carla"), "version": "1"})

    assert response.status_code == 409
    assert "Berta" in text_of(response)
    assert "Carla" in text_of(response)


def test_a_new_document_begins_with_a_scenario_that_is_one(author: Client, bank: Assistant):
    page = author.get("/scenarios/bank/new/")

    response = author.post("/scenarios/bank/new/", {"name": "Says Hello", "text": page.context["text"]})

    assert response.status_code == 302
    assert ScenarioDocument.objects.get().name == "says_hello"


@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
def test_messages_are_tried_in_a_test_that_can_be_saved_as_a_scenario(author: Client, bank: Assistant):
    publish(bank)

    response = author.post("/scenarios/bank/new/messages/", {"messages": "what is my balance\n\n  thank you \n"})
    test = Conversation.objects.get(test=True)

    assert (response.status_code, response["Location"]) == (302, f"/test/bank/{test.pk}/")
    said = test.messages.filter(role="user").order_by("seq").values_list("text", flat=True)
    assert list(said) == ["what is my balance", "thank you"]
    author.post(f"/test/bank/{test.pk}/scenario/", {"name": "asks for the balance"})
    assert Scenario.objects.get().title == "asks for the balance"


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        (" \n ", "Write at least one message."),
        ("hello\n" * 51, "At most 50 messages"),
        ("a" * 20_001, "A message has at most 20000 characters."),
    ],
)
def test_messages_that_cannot_be_tried_stay_in_their_field_with_the_reason(
    author: Client, bank: Assistant, messages: str, words: str
):
    response = author.post("/scenarios/bank/new/messages/", {"messages": messages})

    assert response.status_code == 422
    assert words in text_of(response)
    assert messages.strip() in text_of(response)
    assert not Conversation.objects.exists()


def test_messages_are_not_tried_on_a_draft_with_problems(author: Client, bank: Assistant):
    keep_draft(bank, Edit("check_balance", "flow: check_balance\nsteps: nowhere\n"), None)

    response = author.post("/scenarios/bank/new/messages/", {"messages": "hello"})

    assert response.status_code == 422
    assert "The draft has problems, so its scenarios cannot run." in text_of(response)


def test_files_are_taken_in_and_given_out_in_folders(author: Client, bank: Assistant):
    file = SimpleUploadedFile("everybody.yaml", TEXT.encode())

    author.post("/scenarios/bank/new/", {"files": file})
    archive = zipfile.ZipFile(io.BytesIO(author.get("/scenarios/bank/download/").content))

    assert archive.read("scenarios/everybody.yaml").decode() == TEXT
    assert archive.read("assistants/bank/check_balance.yaml").decode() == demo("bank")["check_balance.yaml"]


def test_a_second_run_waits_for_the_first(bank: Assistant, document: ScenarioDocument):
    open_run(bank, draft_documents(bank), None)

    with pytest.raises(RunAlreadyActive):
        open_run(bank, draft_documents(bank), None)


def test_a_second_press_leads_to_the_run_that_is_under_way(author: Client, bank: Assistant, document: ScenarioDocument):
    open_run(bank, draft_documents(bank), None)

    pressed = author.post("/scenarios/bank/run/")

    assert (pressed.status_code, pressed["Location"]) == (302, "/scenarios/bank/")
    assert ScenarioRun.objects.count() == 1


def test_a_run_whose_server_went_away_is_given_up(bank: Assistant, document: ScenarioDocument):
    run = open_run(bank, draft_documents(bank), None)
    ScenarioRun.objects.update(beat_at=clock.now() - MAX_SILENCE - timedelta(seconds=1))

    close_lost_runs(bank)

    run.refresh_from_db()
    assert run.state == ScenarioRun.State.BROKEN
    assert open_run(bank, draft_documents(bank), None).pk != run.pk


def test_the_page_of_a_run_says_how_far_it_is(author: Client, failed: Scenario):
    page = text_of(author.get("/scenarios/bank/"))

    assert "Running 1 of 2" in page
    assert "data-running" in page


def test_operators_and_auditors_have_no_scenarios(document: ScenarioDocument, olga: Any, audrey: Any, browser_of: Any):
    for who in (olga, audrey):
        assert browser_of(who).get("/scenarios/bank/").status_code == 404
        assert browser_of(who).post("/scenarios/bank/run/").status_code == 404


def test_a_file_that_is_too_large_is_not_taken_by_half(
    author: Client, bank: Assistant, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("dialogue.web.scenarios.views.MAX_TEXT_LENGTH", len(TEXT) - 1)

    answer = author.post("/scenarios/bank/new/", {"files": SimpleUploadedFile("large.yaml", TEXT.encode())})

    assert answer.status_code == 422
    assert "larger than 1 MB" in text_of(answer)
    assert not bank.scenario_documents.exists()


def test_the_editor_of_scenarios_knows_the_names_of_the_draft(author: Client, document: ScenarioDocument):
    schema = author.get("/scenarios/bank/schema/").json()

    turn, expect = (schema["$defs"][name]["properties"] for name in ("Turn", "Expect"))
    words, fields = turn["commands"]["items"]["anyOf"]
    assert "affirm" in words["enum"] and "set_slot" not in words["enum"]
    assert "transfer_money" in fields["properties"]["start_flow"]["enum"]
    assert "amount" in fields["properties"]["set_slot"]["properties"]
    assert "transfer_money!human" in expect["stack"]["items"]["enum"]
    assert {"ask:amount", "confirm:transfer_money", "cancelled"} <= {*expect["messages"]["items"]["anyOf"][0]["enum"]}
    assert "transfer_money.amount" in expect["slots"]["properties"]
    assert "send_money" in schema["properties"]["stubs"]["properties"]
    assert schema["$defs"]["Submit"]["properties"]["step"]["enum"] == ["approval"]


def test_without_an_assistant_the_editor_knows_the_form_of_a_scenario(author: Client, bank: Assistant):
    keep_draft(bank, Edit("check_balance", "flow: ["), None)

    schema = author.get("/scenarios/bank/schema/").json()

    assert set(schema["properties"]) == {"assistant", "clock", "stubs", "scenarios"}


def test_while_the_draft_is_wrong_the_editor_knows_the_names_of_what_is_published(author: Client, bank: Assistant):
    publish(bank, intent="first")
    keep_draft(bank, Edit("check_balance", "flow: ["), None)

    schema = author.get("/scenarios/bank/schema/").json()

    assert schema["$defs"]["Submit"]["properties"]["step"]["enum"] == ["approval"]


@pytest.mark.parametrize("published", [False, True])
def test_an_assistant_without_any_document_is_told_that_it_is_none_yet(
    arthur: Caller, browser_of: Browser, published: bool
):
    bare, arthurs = Assistant.objects.create(name="bare", title="Bare"), browser_of(arthur)
    if published:
        bare.active_release = Release.objects.create(assistant=bare, number=1, sha256="", engine_version="1", texts={})
        bare.save()

    page, names = arthurs.get("/scenarios/bare/"), arthurs.get("/scenarios/bare/schema/")
    run = arthurs.post("/scenarios/bare/run/")

    assert "The draft has problems" in text_of(page)
    assert "There is no assistant.yaml" in text_of(page)
    assert (page.status_code, names.status_code, run.status_code) == (200, 200, 409)


def test_what_is_wrong_in_a_scenario_is_said_while_it_is_written(author: Client, bank: Assistant):
    wrong = author.post("/scenarios/bank/check/", {"text": TEXT.replace("commands: [cancel_flow]", "comands: []")})
    right = author.post("/scenarios/bank/check/", {"text": TEXT})

    [problem] = wrong.json()["problems"]
    assert (problem["line"], problem["meant"]) == (15, "commands")
    assert right.json() == {"problems": []}
    assert not ScenarioDocument.objects.exists()
