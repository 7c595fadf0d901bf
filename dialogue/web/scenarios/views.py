"""An assistant's scenarios: run, expected against got, coverage on the graph, edited as text, taken and given out."""

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
from dialogue.library.releases.test_conversations import draft_documents
from dialogue.models import Assistant, Scenario, ScenarioDocument
from dialogue.scenarios.format.stored import Edit, NameTaken, StaleDocument, file_name, save_document
from dialogue.scenarios.runs import LOST_AFTER, NothingToRun, start_run
from dialogue.turns import clock
from dialogue.web.flows.page import has_bundle
from dialogue.web.scenarios.page import case_of, coverage_of, fact_words, tried_definition, unheard_commands
from dialogue.web.shared.people import account_of_request, needs
from dialogue.web.shared.permissions import may_test

ROWS = 50
LARGEST = 1024 * 1024

NEW = """\
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
    return _page(request, _home(assistant))


@needs(may_test)
@require_POST
def run(request: HttpRequest, assistant: str) -> HttpResponse:
    """Run one or all; the page then shows how far it is."""
    home = _home(assistant)
    chosen = request.POST.get("scenario", "")
    only = get_object_or_404(home.scenarios.select_related("document"), pk=_number(chosen)) if chosen else None
    _definition, problems = tried_definition(home)
    if problems:
        return _page(request, home, _("The draft makes no assistant yet, so its scenarios cannot run."), 409)
    try:
        start_run(home, draft_documents(home), account_of_request(request), only=only)
    except RunAlreadyActive:
        return _page(request, home, _("They are running already; this page shows how far they are."), 409)
    except NothingToRun:
        return _page(request, home, _("There are no scenarios yet."), 409)
    back = request.POST.get("back", "")
    return redirect(back if _own(back) else reverse("dialogue:scenarios", args=[home.name]))


@needs(may_test)
@require_http_methods(["GET", "POST"])
def document(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """One document as text, to be read, changed and saved."""
    home = _home(assistant)
    found = home.scenario_documents.filter(name=name).first()
    if request.method == "POST":
        return _save(request, home, name, found)
    if found is None:
        raise Http404
    return render(request, "dialogue/scenarios/document.html", _sheet(home, found.name, found.text, found.version))


@needs(may_test)
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, assistant: str) -> HttpResponse:
    """A new document, from the smallest scenario or from files."""
    home = _home(assistant)
    if request.method == "GET":
        return render(request, "dialogue/scenarios/document.html", _sheet(home, "", NEW.format(name=home.name), 0))
    if request.FILES:
        return _take_files(request, home)
    return _save(request, home, file_name(request.POST.get("name", "")), None)


@needs(may_test)
@require_GET
def download(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """One document, byte for byte."""
    found = get_object_or_404(ScenarioDocument, assistant__name=assistant, name=name)
    return _file(found.text.encode(), found.filename, "application/yaml")


@needs(may_test)
@require_GET
def download_all(request: HttpRequest, assistant: str) -> HttpResponse:
    """The assistant and all its scenarios, in folders that the commands take as they are."""
    home = _home(assistant)
    texts = {f"assistants/{home.name}/{file}": text for file, text in draft_documents(home).items()}
    texts |= {f"scenarios/{each.filename}": each.text for each in home.scenario_documents.order_by("name")}
    return _file(zip_texts(texts), f"{home.name}.zip", "application/zip")


@needs(may_test)
@require_POST
def delete(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """Drop a document with its scenarios; who comes second finds it gone."""
    ScenarioDocument.objects.filter(assistant__name=assistant, name=name).delete()
    return redirect("dialogue:scenarios", assistant)


def _home(assistant: str) -> Assistant:
    return get_object_or_404(Assistant.objects.select_related("active_release"), name=assistant)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _own(path: str) -> bool:
    return path.startswith(f"{reverse('dialogue:home')}scenarios/") and "\\" not in path


def _page(request: HttpRequest, home: Assistant, failure: str = "", status: int = 200) -> HttpResponse:
    definition, problems = tried_definition(home)
    picked = home.scenarios.select_related("document").filter(pk=_number(request.GET.get("s", ""))).first()
    case = case_of(picked, definition) if picked else None
    facts = {
        "assistant": home,
        "failure": failure,
        "problems": problems[:4],
        "picked": picked,
        "case": case,
        "run": home.scenario_runs.order_by("-pk").first(),
        "lost": clock.now() - LOST_AFTER,
        **_listed(request, home),
        **(_covered(request, home, definition, case) if definition else {"flows": []}),
    }
    return render(request, "dialogue/scenarios/scenarios.html", facts, status=status)


def _listed(request: HttpRequest, home: Assistant) -> dict[str, Any]:
    view = request.GET.get("view", "all")
    search = request.GET.get("q", "").strip()[:100]
    counts = home.scenarios.aggregate(
        all=Count("pk"), failed=Count("pk", filter=Q(passed=False)), passed=Count("pk", filter=Q(passed=True))
    )
    rows = _searched(home.scenarios.select_related("document"), view, search)
    try:
        found = keyset_page(rows, ("document_id", "place"), cursor=request.GET.get("after", ""), limit=ROWS)
    except NotOffered as refused:
        raise Http404 from refused
    counts["waiting"] = counts["all"] - counts["failed"] - counts["passed"]
    listed = [(row, fact_words(row)) for row in found.rows]
    return {"page": found, "rows": listed, "counts": counts, "view": view, "search": search}


def _searched(rows: QuerySet[Scenario], view: str, search: str) -> QuerySet[Scenario]:
    if view == "failed":
        rows = rows.filter(passed=False)
    if view == "waiting":
        rows = rows.filter(passed__isnull=True)
    for word in search.replace("\0", "").split()[:8]:
        rows = rows.filter(Q(title__icontains=word) | Q(document__name__icontains=word) | Q(fact__icontains=word))
    return rows


def _covered(request: HttpRequest, home: Assistant, definition: Definition, case: Any) -> dict[str, Any]:
    reached = home.scenarios.filter(passed__isnull=False).values_list("result__reach", flat=True)
    found = [each for each in reached if each]
    name = request.GET.get("flow", "")
    if name not in definition.flows:
        name = case.fork.flow if case and case.fork else _first_flow(case, definition)
    covered = coverage_of(found, definition, definition.flows[name]) if name else None
    return {
        "flows": list(definition.flows),
        "coverage": covered,
        "drawing": covered.plain(case.fork if case else None) if covered else {},
        "unheard": unheard_commands(found),
    }


def _first_flow(case: Any, definition: Definition) -> str:
    """The first flow that the chosen scenario comes to, else the first of the assistant."""
    turns = case.scenario.result.get("turns", ()) if case else ()
    passed = (flow for turn in turns for flow, *_step in turn["seen"].get("path", ()))
    return next((flow for flow in passed if flow in definition.flows), next(iter(definition.flows), ""))


def _save(request: HttpRequest, home: Assistant, name: str, found: ScenarioDocument | None) -> HttpResponse:
    text = request.POST.get("text", "").replace("\r\n", "\n")
    base = _number(request.POST.get("version", "0"))
    sheet = _sheet(home, name, text, base)
    if len(text) > LARGEST or not name:
        return render(
            request, "dialogue/scenarios/document.html", {**sheet, "failure": _("A name and at most 1 MB.")}, status=422
        )
    try:
        saved = save_document(home, Edit(name, text, base), account_of_request(request))
    except FlowProblems as why:
        return render(request, "dialogue/scenarios/document.html", {**sheet, "problems": why.problems}, status=422)
    except StaleDocument as why:
        facts = {**sheet, "theirs": why.theirs}
        return render(request, "dialogue/scenarios/document.html", facts, status=409)
    except NameTaken:
        taken = _("There are scenarios of this name already. Choose another name.")
        return render(request, "dialogue/scenarios/document.html", {**sheet, "failure": taken}, status=409)
    first = saved.scenarios.order_by("place").first()
    return redirect(reverse("dialogue:scenarios", args=[home.name], query={"s": first.pk} if first else None))


def _take_files(request: HttpRequest, home: Assistant) -> HttpResponse:
    """Each file is saved under its name, in place of what had it; the first that is wrong is shown with why."""
    for each in request.FILES.getlist("files")[:50]:
        name = file_name(str(each.name).rpartition(".")[0])
        known = home.scenario_documents.filter(name=name).first()
        base = known.version if known else 0
        if (each.size or 0) > LARGEST:  # half of a document might well be one
            facts = {**_sheet(home, name, "", base), "failure": _("“%s” is larger than 1 MB.") % str(each.name)[:80]}
            return render(request, "dialogue/scenarios/document.html", facts, status=422)
        text = each.read().decode("utf-8", "replace")
        try:
            save_document(home, Edit(name, text, base), account_of_request(request))
        except (StaleDocument, NameTaken):
            sheet = _sheet(home, name, text, base)
            failure = _("Somebody saved these scenarios in this moment. Please send the file again.")
            return render(request, "dialogue/scenarios/document.html", {**sheet, "failure": failure}, status=409)
        except FlowProblems as why:
            sheet = _sheet(home, name, text, base)
            return render(request, "dialogue/scenarios/document.html", {**sheet, "problems": why.problems}, status=422)
    return redirect("dialogue:scenarios", home.name)


def _sheet(home: Assistant, name: str, text: str, version: int) -> dict[str, Any]:
    sheet = {"assistant": home, "name": name, "text": text, "version": version}
    return {**sheet, "bundled": has_bundle("scenario")}


def _file(content: bytes, name: str, kind: str) -> HttpResponse:
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
