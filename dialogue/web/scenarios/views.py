"""An assistant's scenarios: running them, their results and coverage, editing, upload and download."""

from collections import Counter
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dialogue.desk.queue.keyset import NotOffered, keyset_page
from dialogue.engine.language.compiler import Assistant as Definition
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.documents.archive import zip_texts
from dialogue.library.nlu_programs.background_runs import RunAlreadyActive
from dialogue.library.releases.test_conversations import (
    ConversationOptions,
    draft_documents,
    open_test_conversation,
)
from dialogue.models import Assistant, Scenario, ScenarioDocument
from dialogue.scenarios.format.stored import Edit, NameTaken, StaleDocument, document_name, save_document
from dialogue.scenarios.runs import MAX_SILENCE, NothingToRun, start_run
from dialogue.turns import clock
from dialogue.turns.accept import storable_value
from dialogue.web.flows.page import bundle_exists
from dialogue.web.scenarios.page import (
    ScenarioResult,
    coverage_of,
    definition_to_test,
    first_difference,
    scenario_result,
    untested_commands,
)
from dialogue.web.shared.people import account_of_request, needs
from dialogue.web.shared.permissions import may_test

ROWS_PER_PAGE = 50
MAX_TEXT_LENGTH = 1024 * 1024
MAX_MESSAGE_LENGTH = 20_000

FIRST_TEXT = """\
assistant: ../assistants/{name}
clock: 2026-11-23T09:00:00Z
scenarios:
  - name: Says hello
    turns:
      - user: hello
        commands: [chitchat]
        expect: {{stack: []}}
"""


@needs(may_test)
@require_GET
def scenarios(request: HttpRequest, assistant: str) -> HttpResponse:
    """The list, the scenario that is chosen, and the coverage of one flow."""
    return _scenarios_page(request, _assistant_or_404(assistant))


@needs(may_test)
@require_POST
def run_scenarios(request: HttpRequest, assistant: str) -> HttpResponse:
    """Run one or all; the page then shows how far it is."""
    home = _assistant_or_404(assistant)
    chosen_id = request.POST.get("scenario", "")
    only = get_object_or_404(home.scenarios.select_related("document"), pk=_number_in(chosen_id)) if chosen_id else None
    _definition, problems = definition_to_test(home)
    if problems:
        return _scenarios_page(request, home, _("The draft has problems, so its scenarios cannot run."), 409)
    try:
        start_run(home, draft_documents(home), account_of_request(request), only=only)
    except RunAlreadyActive:  # the page shows how far that run is
        pass
    except NothingToRun:
        return _scenarios_page(request, home, _("There are no scenarios yet."), 409)
    return_url = request.POST.get("back", "")
    return redirect(return_url if _is_scenarios_url(return_url) else reverse("dialogue:scenarios", args=[home.name]))


@needs(may_test)
@require_http_methods(["GET", "POST"])
def edit_document(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """One document as text; POST saves it."""
    home = _assistant_or_404(assistant)
    if request.method == "POST":
        return _save_text(request, home, name)
    row = home.scenario_documents.filter(name=name).first()
    if row is None:
        raise Http404
    return render(request, "dialogue/scenarios/document.html", _editor_context(home, row.name, row.text, row.version))


@needs(may_test)
@require_http_methods(["GET", "POST"])
def new_document(request: HttpRequest, assistant: str) -> HttpResponse:
    """A new document, from the smallest scenario or from files."""
    home = _assistant_or_404(assistant)
    if request.method == "GET":
        return render(request, "dialogue/scenarios/document.html", _new_document_context(home))
    if request.FILES:
        return _save_files(request, home)
    return _save_text(request, home, document_name(request.POST.get("name", "")))


@needs(may_test)
@require_POST
def play_messages(request: HttpRequest, assistant: str) -> HttpResponse:
    """Say the messages of a customer in a new test conversation, which its author can save as a scenario."""
    from dialogue.scenarios.resend import MAX_LINES, say_messages  # it makes turns

    home = _assistant_or_404(assistant)
    typed = str(storable_value(request.POST.get("messages", "")[:MAX_TEXT_LENGTH]))
    messages = [line.strip() for line in typed.splitlines() if line.strip()]
    if refusal := _messages_refusal(messages, MAX_LINES):
        return _refused_messages_page(request, home, typed, refusal)
    try:
        test = open_test_conversation(home, ConversationOptions(), account_of_request(request))
    except FlowProblems:
        refusal = _("The draft has problems, so its scenarios cannot run.")
        return _refused_messages_page(request, home, typed, refusal)
    say_messages(messages, test)
    return redirect("dialogue:test_chat", home.name, test.pk)


def _refused_messages_page(request: HttpRequest, home: Assistant, typed: str, refusal: str) -> HttpResponse:
    facts = {**_new_document_context(home), "typed_messages": typed, "messages_refusal": refusal}
    return render(request, "dialogue/scenarios/document.html", facts, status=422)


def _messages_refusal(messages: list[str], maximum: int) -> str:
    if not messages:
        return _("Write at least one message.")
    if len(messages) > maximum:
        return _("At most %(number)s messages can be said at once.") % {"number": maximum}
    if any(len(message) > MAX_MESSAGE_LENGTH for message in messages):
        return _("A message has at most %(number)s characters.") % {"number": MAX_MESSAGE_LENGTH}
    return ""


@needs(may_test)
@require_GET
def download_document(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """One document, byte for byte."""
    document = get_object_or_404(ScenarioDocument, assistant__name=assistant, name=name)
    return _file_response(document.text.encode(), document.filename, "application/yaml")


@needs(may_test)
@require_GET
def download_all(request: HttpRequest, assistant: str) -> HttpResponse:
    """The assistant and all its scenarios as a zip, in the folders that the commands expect."""
    home = _assistant_or_404(assistant)
    texts = {f"assistants/{home.name}/{file}": text for file, text in draft_documents(home).items()}
    texts |= {f"scenarios/{document.filename}": document.text for document in home.scenario_documents.order_by("name")}
    return _file_response(zip_texts(texts), f"{home.name}.zip", "application/zip")


@needs(may_test)
@require_POST
def delete_document(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """Delete a document with its scenarios; deleting it twice is not an error."""
    ScenarioDocument.objects.filter(assistant__name=assistant, name=name).delete()
    return redirect("dialogue:scenarios", assistant)


def _assistant_or_404(assistant: str) -> Assistant:
    return get_object_or_404(Assistant.objects.select_related("active_release"), name=assistant)


def _number_in(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _is_scenarios_url(path: str) -> bool:
    return path.startswith(f"{reverse('dialogue:home')}scenarios/") and "\\" not in path


def _scenarios_page(request: HttpRequest, home: Assistant, failure: str = "", status: int = 200) -> HttpResponse:
    definition, problems = definition_to_test(home)
    chosen = home.scenarios.select_related("document").filter(pk=_number_in(request.GET.get("s", ""))).first()
    result = scenario_result(chosen, definition) if chosen else None
    facts = {
        "assistant": home,
        "failure": failure,
        "problems": problems[:4],
        "scenario": chosen,
        "result": result,
        "run": home.scenario_runs.order_by("-pk").first(),
        "lost": clock.now() - MAX_SILENCE,
        **_list_context(request, home, definition),
        **(_coverage_context(request, home, definition, result) if definition else {"flows": []}),
    }
    return render(request, "dialogue/scenarios/scenarios.html", facts, status=status)


def _list_context(request: HttpRequest, home: Assistant, definition: Definition | None) -> dict[str, Any]:
    view = request.GET.get("view", "all")
    search = request.GET.get("q", "").strip()[:100]
    counts = home.scenarios.aggregate(
        all=Count("pk"), failed=Count("pk", filter=Q(passed=False)), passed=Count("pk", filter=Q(passed=True))
    )
    rows = _filtered(home.scenarios.select_related("document"), view, search)
    try:
        scenarios_page = keyset_page(
            rows, ("document_id", "place"), cursor=request.GET.get("after", ""), limit=ROWS_PER_PAGE
        )
    except NotOffered as refused:
        raise Http404 from refused
    counts["waiting"] = counts["all"] - counts["failed"] - counts["passed"]
    scenario_rows = [(row, first_difference(row, definition)) for row in scenarios_page.rows]
    return {"page": scenarios_page, "rows": scenario_rows, "counts": counts, "view": view, "search": search}


def _filtered(rows: QuerySet[Scenario], view: str, search: str) -> QuerySet[Scenario]:
    if view == "failed":
        rows = rows.filter(passed=False)
    if view == "waiting":
        rows = rows.filter(passed__isnull=True)
    for word in search.replace("\0", "").split()[:8]:
        rows = rows.filter(Q(title__icontains=word) | Q(document__name__icontains=word) | Q(fact__icontains=word))
    return rows


def _coverage_context(
    request: HttpRequest, home: Assistant, definition: Definition, result: ScenarioResult | None
) -> dict[str, Any]:
    reached = home.scenarios.filter(passed__isnull=False).values_list("result__reach", flat=True)
    reached_by_scenario = [reach for reach in reached if reach]
    name = request.GET.get("flow", "")
    if name not in definition.flows:
        name = result.wrong_exit.flow if result and result.wrong_exit else _first_flow(result, definition)
        name = name if result else _most_reached_flow(reached_by_scenario, definition) or name
    coverage = coverage_of(reached_by_scenario, definition, definition.flows[name]) if name else None
    return {
        "flows": list(definition.flows),
        "coverage": coverage,
        "has_run": bool(reached_by_scenario),
        "drawing": coverage.plain(result.wrong_exit if result else None) if coverage else {},
        "untested_commands": untested_commands(reached_by_scenario),
    }


def _first_flow(result: ScenarioResult | None, definition: Definition) -> str:
    """The first flow that the chosen scenario comes to, else the first of the assistant."""
    turns = result.scenario.result.get("turns", ()) if result else ()
    passed_flows = (flow for turn in turns for flow, *_step in turn["seen"].get("path", ()))
    return next((flow for flow in passed_flows if flow in definition.flows), next(iter(definition.flows), ""))


def _most_reached_flow(reached_by_scenario: list[dict[str, Any]], definition: Definition) -> str:
    """The flow that most scenarios come through; "" where none has run."""
    flows = Counter(name for reach in reached_by_scenario for name in {flow for flow, _step in reach.get("steps", ())})
    return next((name for name, _count in flows.most_common() if name in definition.flows), "")


def _save_text(request: HttpRequest, home: Assistant, name: str) -> HttpResponse:
    text = request.POST.get("text", "").replace("\r\n", "\n")
    base = _number_in(request.POST.get("version", "0"))
    context = _editor_context(home, name, text, base)
    if len(text) > MAX_TEXT_LENGTH or not name:
        return render(
            request,
            "dialogue/scenarios/document.html",
            {**context, "failure": _("A name and at most 1 MB.")},
            status=422,
        )
    try:
        document = save_document(home, Edit(name, text, base), account_of_request(request))
    except FlowProblems as error:
        return render(request, "dialogue/scenarios/document.html", {**context, "problems": error.problems}, status=422)
    except StaleDocument as error:
        facts = {**context, "theirs": error.theirs}
        return render(request, "dialogue/scenarios/document.html", facts, status=409)
    except NameTaken:
        failure = _("There are scenarios of this name already. Choose another name.")
        return render(request, "dialogue/scenarios/document.html", {**context, "failure": failure}, status=409)
    first_scenario = document.scenarios.order_by("place").first()
    return redirect(
        reverse("dialogue:scenarios", args=[home.name], query={"s": first_scenario.pk} if first_scenario else None)
    )


def _save_files(request: HttpRequest, home: Assistant) -> HttpResponse:
    """Save each file under its name, replacing the document of that name; stop at the first with problems."""
    for file in request.FILES.getlist("files")[:50]:
        name = document_name(str(file.name).rpartition(".")[0])
        row = home.scenario_documents.filter(name=name).first()
        base = row.version if row else 0
        if (file.size or 0) > MAX_TEXT_LENGTH:  # half of a document might well be one
            facts = {
                **_editor_context(home, name, "", base),
                "failure": _("“%s” is larger than 1 MB.") % str(file.name)[:80],
            }
            return render(request, "dialogue/scenarios/document.html", facts, status=422)
        text = file.read().decode("utf-8", "replace")
        try:
            save_document(home, Edit(name, text, base), account_of_request(request))
        except (StaleDocument, NameTaken):
            context = _editor_context(home, name, text, base)
            failure = _("Somebody saved these scenarios in this moment. Please send the file again.")
            return render(request, "dialogue/scenarios/document.html", {**context, "failure": failure}, status=409)
        except FlowProblems as error:
            context = _editor_context(home, name, text, base)
            return render(
                request, "dialogue/scenarios/document.html", {**context, "problems": error.problems}, status=422
            )
    return redirect("dialogue:scenarios", home.name)


def _new_document_context(home: Assistant) -> dict[str, Any]:
    return _editor_context(home, "", FIRST_TEXT.format(name=home.name), 0)


def _editor_context(home: Assistant, name: str, text: str, version: int) -> dict[str, Any]:
    document = {"assistant": home, "name": name, "text": text, "version": version}
    return {**document, "bundled": bundle_exists("scenario")}


def _file_response(content: bytes, name: str, kind: str) -> HttpResponse:
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
