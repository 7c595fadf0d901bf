"""Understanding: evaluation reports, and programs for the language model: making and promoting them.

Evaluation and training are heavy imports, and are made when a report is shown.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from dialogue.conf import soni
from dialogue.desk.access.people import SEE_EVERY_CHAT
from dialogue.desk.agent_requests.opening import authored_assistants
from dialogue.library.nlu_programs import nlu_runs
from dialogue.library.nlu_programs.background_runs import RunAlreadyActive
from dialogue.library.nlu_programs.flow_advice import release_advice
from dialogue.library.nlu_programs.nlu_runs import LaunchFailed, RunRequest
from dialogue.library.nlu_programs.suggested_examples import ACT_MARK, suggestions_of
from dialogue.models import Alert, Assistant, Correction, LearnedModel, NLUProgram, NLURun, ScenarioDocument
from dialogue.models.account import Account, accounts
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.live.flow_words import titles_of
from dialogue.turns.nlu.understanding import chosen
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_promote, may_see_flows, may_see_understanding, may_teach, may_test
from dialogue.web.shared.words.understanding import ACTS_IN_WORDS, WAYS_TO_TRAIN, WAYS_TO_UNDERSTAND
from dialogue.web.understanding.examples import may_correct, titles_of_flows
from dialogue.web.understanding.missed_messages import missed_messages
from dialogue.web.understanding.next_steps import (
    FIGURE_DAYS,
    MessageCounts,
    NextStep,
    OpenWork,
    OverviewRow,
    message_counts,
    next_steps,
)

if TYPE_CHECKING:
    from dialogue.web.understanding.reports import ReportView

ROWS_PER_PAGE = 20


@needs(may_see_understanding)
@require_GET
def understanding_overview(request: HttpRequest) -> HttpResponse:
    """Every assistant: what was understood, what waits for a correction, and its program; and the open alerts.

    Those with the most to correct come first.
    """
    serving = dict(NLUProgram.objects.filter(state=NLUProgram.State.SERVING).values_list("assistant", "number"))
    waiting: dict[int, int] = dict(Correction.objects.values_list("assistant").annotate(number=Count("pk")))
    counts = message_counts()

    def to_correct(assistant: tuple[int, str]) -> int:
        number, name = assistant
        return waiting.get(number, 0) + counts.get(name, MessageCounts()).not_understood

    by_name = authored_assistants().order_by("name").values_list("pk", "name")
    page = Paginator(sorted(by_name, key=to_correct, reverse=True), ROWS_PER_PAGE).get_page(request.GET.get("page"))
    running = Count("nlu_runs", filter=Q(nlu_runs__state=NLURun.State.RUNNING))
    assistants = Assistant.objects.annotate(running=running).in_bulk([number for number, _name in page])
    facts = {
        "page": page,
        "rows": [
            OverviewRow(
                assistants[number], counts.get(name, MessageCounts()), waiting.get(number, 0), serving.get(number, 0)
            )
            for number, name in page
        ],
        "figure_days": FIGURE_DAYS,
        **_common_context(),
    }
    return render(request, "dialogue/understanding/overview.html", facts)


@needs(may_see_understanding)
@require_GET
def assistant_understanding(request: HttpRequest, assistant: str) -> HttpResponse:
    """One assistant's programs and runs, and the report of the one that is chosen."""
    home = get_object_or_404(Assistant, name=assistant)
    nlu_runs.close_silent_nlu_runs(home)
    person = person_of_request(request)
    facts = {
        "assistant": home,
        "programs": _page_of(home.nlu_programs.defer("artefact", "scores", "baseline"), request, "programs"),
        "runs": _page_of(home.nlu_runs.select_related("started_by").defer("report"), request, "runs"),
        **_work_in_progress(home),
        "serving": home.nlu_programs.filter(state=NLUProgram.State.SERVING).first(),
        "proposed": _proposed_examples(home),
        "documents": ScenarioDocument.objects.filter(assistant=home).count(),
        "report_view": _chosen_report(home, request),
        "may_start": may_teach(person),
        "may_promote": may_promote(person),
        "optimizers": WAYS_TO_TRAIN.items(),
        "nlus": WAYS_TO_UNDERSTAND.items(),
        "first_example": _first_example(home),
        "missed": missed_messages(home, person),
        "sees_customers": person.superuser or person.has(SEE_EVERY_CHAT),
        "sees_flows": may_see_flows(person),
        "tests": may_test(person),
        "corrects": may_correct(person),
        "opens_settings": "program" in request.GET or "programs_page" in request.GET,
        "counts": message_counts(home.name).get(home.name, MessageCounts()),
        "figure_days": FIGURE_DAYS,
        **_flow_advice(home, request),
    }
    facts["steps"] = _steps_of(home, facts)
    return render(request, "dialogue/understanding/assistant.html", {**facts, **_common_context()})


@needs(may_see_understanding)
@require_GET
def run_progress(request: HttpRequest, assistant: str) -> HttpResponse:
    """How far the run and the learning of the active release are; when they are over the page is loaded again."""
    home = get_object_or_404(Assistant, name=assistant)
    nlu_runs.close_silent_nlu_runs(home)
    facts = _work_in_progress(home)
    answer = render(request, "dialogue/understanding/progress.html", {"assistant": home, **facts})
    if not facts["at_work"]:
        answer["HX-Refresh"] = "true"
    return answer


@needs(may_teach)
@require_POST
def start_run(request: HttpRequest, assistant: str) -> HttpResponse:
    """Begin an evaluation or an optimisation in a process of its own."""
    home = get_object_or_404(Assistant, name=assistant)
    order_or_refusal = _read_order(request, home)
    if isinstance(order_or_refusal, str):
        messages.warning(request, order_or_refusal)
        return redirect("dialogue:understanding_of", assistant)
    order, arguments = order_or_refusal
    try:
        run = nlu_runs.begin_run(home, order, _account_of(request))
    except RunAlreadyActive:
        messages.warning(request, _("Another evaluation or optimisation of this assistant is on its way."))
    else:
        try:
            nlu_runs.launch_process(run, *arguments)
        except LaunchFailed:
            messages.warning(
                request, _("It could not be started: this machine gives no further process. Try again later.")
            )
    return redirect("dialogue:understanding_of", assistant)


@needs(may_promote)
@require_POST
def choose_program(request: HttpRequest, assistant: str) -> HttpResponse:
    """Promote a program, or take back the one that serves."""
    home = get_object_or_404(Assistant, name=assistant)
    from dialogue.web.understanding.promotions import PromotionRefused, promote_or_take_back

    try:
        messages.success(request, promote_or_take_back(home, request.POST.get("program", ""), _account_of(request)))
    except PromotionRefused as error:
        messages.warning(request, str(error))
    return redirect("dialogue:understanding_of", assistant)


def _read_order(request: HttpRequest, home: Assistant) -> tuple[RunRequest, tuple[str, ...]] | str:
    """The run that the form asks for with its command's arguments; or a refusal in words."""
    kind, form = request.POST.get("kind", ""), request.POST
    if not ScenarioDocument.objects.filter(assistant=home).exists():
        return _("This assistant has no scenarios yet; they are what is learned from and measured with.")
    if kind == NLURun.Kind.EVALUATION and form.get("nlu") in WAYS_TO_UNDERSTAND:
        order = RunRequest(kind, nlu=form["nlu"])
        return order, ("evaluate_nlu", "--nlu", order.nlu)
    if kind == NLURun.Kind.OPTIMISATION and form.get("optimizer") in WAYS_TO_TRAIN:
        if not soni.NLU_MODEL:
            return _("There is no language model to make a program for: set NLU_MODEL.")
        order = RunRequest(kind, optimizer=form["optimizer"])
        return order, ("optimize_nlu", home.name, "--optimizer", order.optimizer)
    return _("Choose what is to be done.")


def _proposed_examples(home: Assistant) -> list[tuple[Correction, object]]:
    """The corrections that wait for an author, each with what was meant: an act in words, or a flow's title."""
    rows = list(suggestions_of(home)[:ROWS_PER_PAGE])
    meant: dict[str, object] = {f"{ACT_MARK}{act}": words for act, words in ACTS_IN_WORDS.items()}
    meant |= titles_of_flows(home, {row.flow for row in rows} - meant.keys())
    return [(row, meant[row.flow]) for row in rows]


def _work_in_progress(home: Assistant) -> dict[str, Any]:
    """The run that is on its way, and what was learned of the active release, or how far that is."""
    running = home.nlu_runs.filter(state=NLURun.State.RUNNING).first()
    rows = LearnedModel.objects.select_related("release").defer("vectors")
    learned = rows.filter(release=home.active_release_id).first()
    learning = learned is not None and learned.state == LearnedModel.State.LEARNING
    return {"running": running, "learned": learned, "at_work": running is not None or learning}


def _chosen_report(home: Assistant, request: HttpRequest) -> "ReportView | None":
    """The report that the address asks for; else the newest that there is."""
    from dialogue.web.understanding.reports import report_of_program, report_of_run

    program, run, other = (request.GET.get(name, "") for name in ("program", "run", "beside"))
    definition = titles_of(home)
    if program:
        beside = _program_or_404(home, other) if other else None
        return report_of_program(_program_or_404(home, program), beside, definition)
    runs = home.nlu_runs.filter(state=NLURun.State.DONE).select_related("program__beaten")
    row = runs.filter(pk=_number_or_404(run)).first() if run else runs.first()
    if run and row is None:
        raise Http404
    return report_of_run(row, definition) if row else None


def _program_or_404(home: Assistant, number: str) -> NLUProgram:
    row = home.nlu_programs.select_related("beaten", "assistant").filter(number=_number_or_404(number)).first()
    if row is None:
        raise Http404
    return row


def _number_or_404(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise Http404
    return int(word)


def _page_of(rows: QuerySet[Any], request: HttpRequest, name: str) -> Page[Any]:
    return Paginator(rows, ROWS_PER_PAGE).get_page(request.GET.get(f"{name}_page"))


def _flow_advice(home: Assistant, request: HttpRequest) -> dict[str, Any]:
    """A page of the active release's flows, with what authors can improve in each of them."""
    if home.active_release is None:
        return {}
    language = get_language() or ""
    titles = {
        flow.flow: flow.title.in_language(language) or flow.flow
        for flow in assistant_of(home.active_release).flows.values()
        if flow.start
    }
    page = Paginator(list(titles), ROWS_PER_PAGE).get_page(request.GET.get("flows_page"))
    advice = [(titles[flow.flow], flow) for flow in release_advice(home.active_release, list(page))]
    return {"flow_page": page, "advice": advice, "flow_titles": titles}


def _steps_of(home: Assistant, facts: Mapping[str, Any]) -> list[NextStep]:
    """What to do next, for who may do it."""
    if not facts["may_start"]:
        return []
    work = OpenWork(
        proposed=len(facts["proposed"]),
        missed=len(facts["missed"]) if facts["corrects"] else 0,
        flows=sum(1 for _title, flow in facts.get("advice", ()) if flow.has_findings),
        documents=facts["documents"],
        was_measured=facts["report_view"] is not None or facts["at_work"],
    )
    return next_steps(home, work)


def _first_example(home: Assistant) -> str:
    """A message that the active release should understand, to try a language model with; "" without one."""
    if home.active_release is None:
        return ""
    flows = assistant_of(home.active_release).flows.values()
    return next((example for flow in flows if flow.start for example in flow.examples), "")


def _common_context() -> dict[str, Any]:
    return {
        "by_meaning": chosen().use_embeddings,
        "alerts": list(Alert.objects.filter(over_at=None)[:ROWS_PER_PAGE]),
        "model": soni.NLU_MODEL,
        "mode": soni.NLU,
    }


def _account_of(request: HttpRequest) -> Account:
    return accounts().get(pk=person_of_request(request).id)
