"""Flows to read: the text beside the graph, as the active release has them."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from dialogue.desk.people import Person
from dialogue.models import Assistant, Flow
from dialogue.turns.dialogues import assistant_of
from dialogue.web.graph import graph_of
from dialogue.web.people import needs
from dialogue.web.standing import waiting_at, waiting_by_flow
from dialogue.web.yaml_text import lines_of, step_lines


@dataclass(frozen=True)
class Shelf:
    """An assistant with the flows of its active release."""

    assistant: Assistant
    flows: list[Flow]


def may_see_flows(person: Person) -> bool:
    return person.superuser or person.has("view_flow")


@needs(may_see_flows)
@require_GET
def flows(request: HttpRequest) -> HttpResponse:
    """Every assistant with its flows."""
    assistants = Assistant.objects.select_related("active_release").prefetch_related("flows__head")
    shelves = [Shelf(each, [flow for flow in each.flows.all() if not flow.archived]) for each in assistants]
    return render(request, "flows/flows.html", {"shelves": shelves, "waiting": waiting_by_flow()})


@needs(may_see_flows)
@require_GET
def flow(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """One flow: its lines, its graph, and who waits at which step."""
    home = get_object_or_404(Assistant.objects.select_related("active_release"), name=assistant)
    row = get_object_or_404(Flow.objects.select_related("head"), assistant=home, name=name)
    release = home.active_release
    if release is None:
        raise Http404
    lines = lines_of(release.documents().get(row.filename, ""))
    definition = assistant_of(release).flows.get(name)
    graph = graph_of(definition, step_lines(lines), waiting_at(home, name)) if definition else None
    facts = {"assistant": home, "flow": row, "release": release, "lines": lines, "definition": definition}
    return render(request, "flows/flow.html", {**facts, "graph": graph, "steps": graph.steps() if graph else []})
