"""What a flow's pages show: the author's text, its problems, its graph, and how many conversations wait where."""

from dataclasses import dataclass

from django.contrib.staticfiles import finders
from django.db.models import Count, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from dialogue.engine.source.problems import Problem
from dialogue.library.documents.document_check import check_text
from dialogue.library.documents.versions import draft_of
from dialogue.models import Assistant, Flow, FlowDraft, HITLSession
from dialogue.models.account import Account
from dialogue.models.assistants.flow import OWN_DOCUMENT
from dialogue.web.flows.graph import Graph, graph_of
from dialogue.web.flows.sketch import sketch_of
from dialogue.web.flows.yaml_text import step_lines
from dialogue.web.shared.chat_texts import MAX_STARTERS, whole_examples

BUNDLE = "dialogue/bundle/{}.js"


@dataclass(frozen=True)
class EditedFlow:
    """A flow as one author edits it; `base` is the version that the text was made from, `head` the newest one."""

    text: str
    base: int
    head: int
    draft: FlowDraft | None
    problems: tuple[Problem, ...]
    graph: Graph | None
    shows_last_valid_graph: bool
    shows_sketch: bool
    starters: tuple[str, ...]
    """Messages with which a test of the flow can begin."""

    @property
    def stale(self) -> bool:
        """Whether another version was saved since this author began to type."""
        return self.base != self.head

    @property
    def error_count(self) -> int:
        return sum(1 for problem in self.problems if problem.severity == "error")


def edited_flow(home: Assistant, flow: Flow, user: Account | None) -> EditedFlow:
    """The flow as this author edits it: their draft, else the saved text, else the published text."""
    draft = draft_of(flow, user)
    head = flow.head.number if flow.head else 0
    saved_text = flow_text(home, flow)
    text = flow_text(home, flow, draft)
    checked = check_text(home, flow.name, text)
    waiting = waiting_by_step(home, flow.name)
    graph = graph_of(checked.flow, step_lines(text), waiting) if checked.flow else None
    sketch = sketch_of(text, waiting) if graph is None and flow.name != OWN_DOCUMENT else None
    last_flow = check_text(home, flow.name, saved_text).flow if draft and graph is None else None
    last_graph = graph_of(last_flow, step_lines(saved_text), waiting) if last_flow else None
    is_sketched = sketch is not None and (last_graph is None or sketch.step_names != last_graph.step_names)
    drawn = graph or (sketch if is_sketched else last_graph)
    shows_last_valid = drawn is not None and drawn is last_graph
    base = draft.base if draft else head
    flow_to_test = checked.flow or last_flow
    starters = tuple(whole_examples(flow_to_test)[:MAX_STARTERS]) if flow_to_test else ()
    return EditedFlow(text, base, head, draft, checked.problems, drawn, shows_last_valid, is_sketched, starters)


def flow_text(home: Assistant, flow: Flow, draft: FlowDraft | None = None) -> str:
    """The draft's text, else the saved text, else the published text."""
    if draft is not None:
        return draft.text
    return flow.head.text if flow.head else published_text(home, flow)


def published_text(home: Assistant, flow: Flow) -> str:
    """The flow's text in the active release; empty when it is in none."""
    return home.active_release.documents().get(flow.filename, "") if home.active_release else ""


def bundle_exists(page: str = "studio") -> bool:
    """Whether the editor of this page was bundled; without it a plain text field stands in."""
    return finders.find(BUNDLE.format(page)) is not None


def flow_or_404(assistant: str, name: str) -> tuple[Assistant, Flow]:
    """The assistant and its flow of this name. Raises Http404."""
    home = get_object_or_404(Assistant.objects.select_related("active_release"), name=assistant)
    row = Flow.objects.select_related("head__author").filter(assistant=home, name=name).first()
    if row is None:
        raise Http404
    return home, row


def waiting_by_flow() -> dict[str, int]:
    """How many conversations wait in each flow, by "assistant/flow"."""
    rows = _waiting_sessions().values_list("conversation__assistant__name", "flow")
    counted = rows.annotate(number=Count("conversation", distinct=True)).order_by()
    return {f"{assistant}/{flow}": number for assistant, flow, number in counted}


def waiting_by_step(assistant: Assistant, flow: str) -> dict[str, int]:
    """How many conversations wait at each step of a flow."""
    rows = _waiting_sessions().filter(conversation__assistant=assistant, flow=flow).values_list("step")
    return dict(rows.annotate(number=Count("conversation", distinct=True)).order_by())


def _waiting_sessions() -> QuerySet[HITLSession]:
    return HITLSession.objects.filter(state__in=HITLSession.UNDECIDED, conversation__test=False)
