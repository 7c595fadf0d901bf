"""The page of understanding: reports, programs, what is on its way, and the alert about a key."""

import asyncio
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.engine.ports.commands import SetSlot, StartFlow
from dialogue.engine.understanding import ScriptedNLU
from dialogue.library.nlu_programs import nlu_runs
from dialogue.library.nlu_programs.programs import Comparison, store_program
from dialogue.models import Alert, Assistant, AuditEntry, LearnedModel, NLUProgram, NLURun, Release, ScenarioDocument
from dialogue.nlu.training.evaluation import EvaluationReport, evaluate
from dialogue.turns import clock
from dialogue.turns.nlu.stores import raise_alert
from tests.nlu.llm.test_programs import PROGRAM
from tests.nlu.training.test_evaluation import LESSONS, SCRIPT
from tests.support.releases import demo, publish
from tests.support.soni_settings import change
from tests.support.transfers import person
from tests.support.web.pages import text_of

pytestmark = pytest.mark.django_db
BETTER: dict[str, list[Any]] = {**SCRIPT, "b": [StartFlow("reserve_book")]}
WORSE: dict[str, list[Any]] = {
    **BETTER,
    "a": [StartFlow("pay_fine"), SetSlot("amount", 3)],
    "c": [StartFlow("pay_fine")],
}


def report_of(script: dict[str, Any]) -> EvaluationReport:
    return asyncio.run(evaluate(ScriptedNLU(script), LESSONS))


@pytest.fixture
def arthur() -> Client:
    """The browser of Arthur, who writes flows."""
    return signed_in(person("arthur", "Arthur Ray", "flow authors"))


@pytest.fixture
def library(settings: Any) -> Assistant:
    change(settings, NLU_MODEL=PROGRAM.model)
    assistant = publish(demo("library")).assistant
    ScenarioDocument.objects.create(assistant=assistant, name="talks", text="scenarios: []", saved_at=clock.now())
    return assistant


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    told: list[tuple[Any, ...]] = []
    monkeypatch.setattr(nlu_runs, "launch_process", lambda run, *arguments: told.append((run.pk, *arguments)))
    return told


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def program(library: Assistant, script: dict[str, Any], beaten: NLUProgram | None = None) -> NLUProgram:
    return store_program(library, PROGRAM, Comparison(report_of(script), report_of(SCRIPT), beaten))


def shown(client: Client, address: str) -> str:
    return text_of(client.get(address))


def choose(client: Client, wish: object) -> str:
    return text_of(client.post("/understanding/library/choose/", {"program": str(wish)}, follow=True))


def test_every_assistant_is_listed_with_what_serves_it(library: Assistant, arthur: Client) -> None:
    NLUProgram.objects.filter(pk=program(library, BETTER).pk).update(state=NLUProgram.State.SERVING)

    html = shown(arthur, "/understanding/")

    assert 'href="/understanding/library/"' in html
    assert "program 1" in html


def test_a_measurement_is_in_words_and_its_scores_are_folded(library: Assistant, arthur: Client) -> None:
    program(library, BETTER)

    html = shown(arthur, "/understanding/library/?program=1")

    plain, experts = html.split("Figures for experts")
    for expected in (
        "<b>75%</b>3 of 4 messages were understood exactly as their scenarios expect.",
        "Difference: 25.0 percentage points",
        ">What the customer wants</th>",
        "Messages that were understood otherwise",
        ">amount 4</span>",
    ):
        assert expected in plain
    assert "Precision" not in plain and "set_slot" not in html
    assert "Precision" in experts
    assert "style=" not in html


def test_two_programs_are_compared_where_they_were_asked_the_same(library: Assistant, arthur: Client) -> None:
    first, second = program(library, BETTER), program(library, WORSE)

    html = shown(arthur, f"/understanding/library/?program={second.number}&beside={first.number}")

    assert "Program 2 beside program 1" in html
    assert "worse" in html


def test_a_program_that_worsens_nothing_serves_and_can_be_taken_back(library: Assistant, arthur: Client) -> None:
    row = program(library, BETTER)

    promoted = choose(arthur, row.number)
    state = NLUProgram.objects.get(pk=row.pk).state
    taken_back = choose(arthur, "back")

    assert "Program 1 is used from the next message on." in promoted
    assert state == NLUProgram.State.SERVING
    assert "The built-in program serves again." in taken_back
    acts = list(AuditEntry.objects.order_by("pk").values_list("act", "actor"))
    assert acts == [("program_made", "system"), ("program_promoted", "arthur"), ("program_taken_back", "arthur")]


REFUSALS = {
    "worse": (lambda library: program(library, WORSE), "It would worsen: cannot_handle."),
    "compared with another": (
        lambda library: program(library, BETTER, beaten=program(library, BETTER)),
        "another program than serves now",
    ),
    "unknown": (lambda library: 7, "There is no such program."),
    "no number": (lambda library: "1 OR 1=1", "There is no such program."),
    "nothing to take back": (lambda library: "back", "The built-in program serves already."),
}


@pytest.mark.parametrize(("wish", "why"), REFUSALS.values(), ids=list(REFUSALS))
def test_what_may_not_serve_is_refused_with_the_reason(library: Assistant, arthur: Client, wish: Any, why: str) -> None:
    wanted = wish(library)

    html = choose(arthur, getattr(wanted, "number", wanted))

    assert why in html
    assert not NLUProgram.objects.filter(state=NLUProgram.State.SERVING).exists()


@pytest.mark.parametrize(
    "change", [{"artefact": PROGRAM.canonical_json().replace("librarian", "pirate")}, {"sha256": "0" * 64}]
)
def test_a_program_that_was_tampered_with_is_refused(
    library: Assistant, arthur: Client, change: dict[str, str]
) -> None:
    row = program(library, BETTER)
    NLUProgram.objects.filter(pk=row.pk).update(**change)

    assert "It cannot be used here: its text was altered after it was stored." in choose(arthur, row.number)


def test_a_program_for_another_model_is_refused(library: Assistant, arthur: Client, settings: Any) -> None:
    row = program(library, BETTER)
    change(settings, NLU_MODEL="openai/other")

    assert "made for another model" in choose(arthur, row.number)


def test_an_evaluation_is_begun_in_a_process_of_its_own(
    library: Assistant, arthur: Client, launched: list[Any]
) -> None:
    arthur.post("/understanding/library/start/", {"kind": "evaluation", "nlu": "auto"})

    run = NLURun.objects.get()
    assert launched == [(run.pk, "evaluate_nlu", "--nlu", "auto")]
    assert (run.kind, run.nlu, run.started_by) == ("evaluation", "auto", User.objects.get(username="arthur"))


def test_a_process_that_cannot_be_started_is_said_and_closes_its_run(
    library: Assistant, arthur: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("subprocess.Popen", fails)

    page = arthur.post("/understanding/library/start/", {"kind": "evaluation", "nlu": "auto"}, follow=True)

    run = NLURun.objects.get()
    assert (run.state, run.error) == ("broken", "Its process could not be started: Resource temporarily unavailable.")
    assert "It could not be started" in text_of(page)


def test_one_run_at_a_time(library: Assistant, arthur: Client, launched: list[Any]) -> None:
    wish = {"kind": "optimisation", "optimizer": "labeled"}
    arthur.post("/understanding/library/start/", wish)

    second = text_of(arthur.post("/understanding/library/start/", wish, follow=True))

    assert len(launched) == NLURun.objects.count() == 1
    assert "on its way" in second


def test_progress_is_the_same_after_a_reload_and_ends_with_the_run(
    library: Assistant, arthur: Client, launched: list[Any]
) -> None:
    arthur.post("/understanding/library/start/", {"kind": "evaluation", "nlu": "auto"})
    run = NLURun.objects.get()
    nlu_runs.ProgressWriter(run)("after", 7, 20)

    first, again = (shown(arthur, "/understanding/library/") for _ in range(2))
    nlu_runs.finish_run(run, json.loads(report_of(BETTER).model_dump_json()))
    over = arthur.get("/understanding/library/progress/")

    assert 'max="20" value="7"' in first and 'max="20" value="7"' in again
    assert first.index('id="flows"') < first.index('id="progress"') < first.index("Earlier measurements")
    assert over["HX-Refresh"] == "true"
    assert "<b>75%</b>3 of 4 messages" in shown(arthur, f"/understanding/library/?run={run.pk}")


def test_a_run_that_went_silent_is_given_up_and_another_may_begin(
    library: Assistant, arthur: Client, launched: list[Any]
) -> None:
    arthur.post("/understanding/library/start/", {"kind": "evaluation", "nlu": "auto"})
    NLURun.objects.update(beat_at=clock.now() - 2 * nlu_runs.MAX_SILENCE)

    html = shown(arthur, "/understanding/library/")
    arthur.post("/understanding/library/start/", {"kind": "evaluation", "nlu": "llm"})

    assert "Interrupted" in html
    assert [run.state for run in NLURun.objects.order_by("pk")] == ["broken", "running"]


UNABLE = [
    {"kind": "optimisation", "optimizer": "magic"},
    {"kind": "evaluation", "nlu": "--run"},
    {"kind": "promotion"},
    {},
]


@pytest.mark.parametrize("wish", UNABLE)
def test_what_cannot_be_begun_is_said(library: Assistant, arthur: Client, launched: list[Any], wish: Any) -> None:
    html = text_of(arthur.post("/understanding/library/start/", wish, follow=True))

    assert "Choose what is to be done." in html
    assert launched == []


def test_without_a_model_no_program_is_made(
    library: Assistant, arthur: Client, settings: Any, launched: list[Any]
) -> None:
    change(settings, NLU_MODEL="")
    wish = {"kind": "optimisation", "optimizer": "labeled"}

    assert "set NLU_MODEL" in text_of(arthur.post("/understanding/library/start/", wish, follow=True))
    assert launched == []


def test_without_scenarios_there_is_nothing_to_measure_with(
    library: Assistant, arthur: Client, launched: list[Any]
) -> None:
    ScenarioDocument.objects.all().delete()

    html = text_of(arthur.post("/understanding/library/start/", {"kind": "evaluation", "nlu": "auto"}, follow=True))

    assert "no scenarios yet" in html


def test_how_far_a_release_is_learned_is_shown_until_it_is(library: Assistant, arthur: Client) -> None:
    row = LearnedModel.objects.create(release=Release.objects.get(), done=25, total=80, began_at=clock.now())

    page, part = (shown(arthur, f"/understanding/library/{each}") for each in ("", "progress/"))
    LearnedModel.objects.update(state=row.State.READY, done=80, ready_at=clock.now())
    over = arthur.get("/understanding/library/progress/")

    for html in (page, part):
        assert '<progress class="meter" max="80" value="25"' in html
        assert 'hx-trigger="every 2s"' in html
    assert over["HX-Refresh"] == "true"
    assert "80 examples and questions" in text_of(over)
    assert "hx-trigger" not in shown(arthur, "/understanding/library/")


def test_learning_that_failed_says_why(library: Assistant, arthur: Client) -> None:
    failed = {"state": "broken", "error": "MemoryError: too little"}
    LearnedModel.objects.create(release=Release.objects.get(), began_at=clock.now(), **failed)

    assert "could not be learned by meaning: MemoryError: too little." in shown(arthur, "/understanding/library/")


def test_the_people_who_run_it_are_told_of_a_refused_key_once_until_one_works(
    library: Assistant, arthur: Client
) -> None:
    for _ in range(3):
        raise_alert(Alert.Kind.KEY_REFUSED, "openai/tiny")

    told, elsewhere = shown(arthur, "/understanding/"), shown(arthur, "/flows/")
    Alert.objects.update(over_at=clock.now())

    assert told.count("openai/tiny</b> was refused, 3 times") == 1
    assert 'data-badge="understanding"' in elsewhere
    assert "was refused" not in shown(arthur, "/understanding/")
    assert 'data-badge="understanding"' not in shown(arthur, "/flows/")


def test_the_page_costs_the_same_however_many_programs_there_are(library: Assistant, arthur: Client) -> None:
    program(library, BETTER)
    shown(arthur, "/understanding/library/")
    with CaptureQueriesContext(connection) as few:
        shown(arthur, "/understanding/library/")
    for _ in range(30):
        program(library, BETTER)

    with CaptureQueriesContext(connection) as many:
        html = shown(arthur, "/understanding/library/")

    assert len(many) == len(few)
    assert "page 1 of 2" in html


@pytest.mark.parametrize(
    "address", ["?program=9", "?run=9", "?program=x", "?run=1%20OR%201=1", "?program=1&beside=99999999999"]
)
def test_what_does_not_exist_is_not_found(library: Assistant, arthur: Client, address: str) -> None:
    program(library, BETTER)

    assert arthur.get(f"/understanding/library/{address}").status_code == 404


def test_an_operator_has_no_such_page(library: Assistant) -> None:
    olga = signed_in(person("olga", "Olga Berg", "operators"))

    assert [olga.get(f"/understanding/{path}").status_code for path in ("", "library/", "library/progress/")] == [
        404
    ] * 3
    assert olga.post("/understanding/library/choose/", {"program": "1"}).status_code == 404


def test_all_is_said_in_spanish_too(library: Assistant, arthur: Client) -> None:
    program(library, BETTER)
    arthur.cookies["django_language"] = "es"

    html = shown(arthur, "/understanding/library/?program=1")

    for expected in (
        "Comprensión",
        "Cifras para expertos",
        "Mensajes que se entendieron de otra forma",
        "Poner en uso",
        "mensajes se entendieron exactamente",
    ):
        assert expected in html


def test_flows_are_listed_with_what_their_author_can_improve(arthur: Client, library: Assistant):
    page = text_of(arthur.get("/understanding/library/"))

    assert "<h2>How well each flow is understood</h2>" in page
    assert "of reserve a book: word it differently." in page
    assert "Options without synonyms: pickup: central, pickup: riverside, pickup: hillcrest." in page


def test_authors_read_what_braces_in_every_example_cost_and_what_to_write(arthur: Client, library: Assistant) -> None:
    documents = demo("library")
    plain = ("  - I want to reserve a book\n", "  - put a book on hold for me\n", "  - quiero reservar un libro\n")
    text = documents["reserve_book.yaml"]
    for example in plain:
        text = text.replace(example, "")
    publish({**documents, "reserve_book.yaml": text})

    page = text_of(arthur.get("/understanding/library/"))
    arthur.cookies["django_language"] = "es"
    spanish = text_of(arthur.get("/understanding/library/"))

    assert page.count("Every example has braces instead of free text (title), and the words that are left say") == 1
    assert "Write about half of them with real values, as users say them." in page
    assert "Todos los ejemplos tienen llaves en lugar de texto libre (title)" in spanish
