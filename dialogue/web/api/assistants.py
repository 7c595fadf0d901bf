"""Flow documents over HTTP: checking a text, reading and saving a flow, and editing it as a graph."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Status

from dialogue.desk.access.token_scopes import FLOWS_READ, FLOWS_WRITE
from dialogue.engine.language.compiler import FlowProblems, Problem, json_schema, load_assistant
from dialogue.engine.source.parser import SourceRefused
from dialogue.library.documents.document_check import TextCheck, check_text, language_of, suggested_name
from dialogue.library.documents.flow_text import EditRefused, EditResult, apply_changes
from dialogue.library.documents.formatter import format_document
from dialogue.library.documents.graph_edits import EDITS, editor_changes
from dialogue.library.documents.value_edits import ValueEdit, document_values, set_values
from dialogue.library.documents.versions import Edit, StaleVersion, documents_of, draft_of, keep_draft, save_or_keep
from dialogue.library.releases.groups import deciders_by_group
from dialogue.models import Assistant, Flow, FlowVersion
from dialogue.models.account import Account
from dialogue.models.assistants.flow import OWN_DOCUMENT
from dialogue.web.api.auth import BearerToken, SessionCookie, person_of, scoped
from dialogue.web.api.problems import Problem as Refusal
from dialogue.web.api.problems import not_found
from dialogue.web.api.schemas import REFUSED, DocumentText, GraphEdit, SavedText, TypedText, ValuesEdit
from dialogue.web.flows.graph import graph_of
from dialogue.web.flows.page import waiting_by_step
from dialogue.web.flows.panel_words import schema_in_words
from dialogue.web.flows.sketch import sketch_of
from dialogue.web.flows.yaml_text import step_lines
from dialogue.web.shared.permissions import may_change_flows, may_see_flows
from dialogue.web.shared.words.findings import in_words, problem_words

router = Router(auth=[BearerToken(), SessionCookie()], tags=["assistants"])
JsonObject = dict[str, Any]
ADD_WORDS = 3
"""The words of the edit "add": the step before, the type and the name. The language of its first texts follows."""
ANSWERS: dict[Any, Any] = {REFUSED: None, 200: JsonObject, 201: JsonObject, 409: JsonObject, 422: JsonObject}


@router.post("/{assistant}/check", response={200: JsonObject, REFUSED: None})
@scoped(FLOWS_READ)
def check(request: HttpRequest, assistant: str, body: DocumentText) -> JsonObject:
    """What the compiler says of this text of a flow, among the assistant's saved documents, its graph and its values.

    `document` is {tree, steps}, as `document_values` returns it; null for a text that cannot be read.
    """
    return _checked_view(_visible_assistant(request, assistant), body.flow, body.text)


@router.get("/{assistant}/schema.json", response={200: JsonObject, REFUSED: None})
@scoped(FLOWS_READ)
def schema(request: HttpRequest, assistant: str) -> JsonObject:
    """JSON Schema of the flow language with the assistant's own names, as they were saved last.

    Descriptions are in the reader's language. "x-groups" has the groups of people that flows may ask, as {name: number
    of people who may decide}.
    """
    home = _visible_assistant(request, assistant)
    try:
        found = json_schema(load_assistant(documents_of(home)))
    except FlowProblems:
        found = json_schema()
    return {**schema_in_words(found), "x-groups": deciders_by_group()}


@router.get("/{assistant}/flows/{flow}", response={200: JsonObject, REFUSED: None})
@scoped(FLOWS_READ)
def get_flow(request: HttpRequest, assistant: str, flow: str) -> JsonObject:
    """The saved text of a flow with its version, and the caller's own unsaved one."""
    home = _visible_assistant(request, assistant)
    row = Flow.objects.filter(assistant=home, name=flow).select_related("head__author").first()
    if row is None:
        raise not_found()
    draft = draft_of(row, _author_of(request))
    draft_view = {"text": draft.text, "base_version": draft.base, "at": draft.saved_at} if draft else None
    return {"flow": row.name, "archived": row.archived, **_version_view(row.head), "draft": draft_view}


@router.put("/{assistant}/flows/{flow}", response=ANSWERS)
@scoped(FLOWS_WRITE)
def put_flow(request: HttpRequest, assistant: str, flow: str, body: SavedText) -> Status[JsonObject]:
    """Save a text as the next version. 409 with the other's text when somebody saved since `base_version`.

    A text that is refused is kept as the caller's draft: 422 with its problems.
    """
    home = _editable_assistant(request, assistant)
    edit = Edit(_checked_flow_name(flow), body.text, base=body.base_version, note=body.note)
    try:
        version = save_or_keep(home, edit, _author_of(request))
    except StaleVersion as stale:
        theirs = _version_view(stale.theirs)
        author = theirs["author"] or _("Somebody")
        detail = _("%(who)s saved version %(number)s after you opened it. Your text is kept.") % {
            "who": author,
            "number": theirs["version"],
        }
        return Status(409, {"code": "stale_version", "detail": detail, "theirs": theirs})
    except FlowProblems as wrong:
        problems = [_problem_view(problem) for problem in wrong.problems]
        detail = _("The text is kept as your draft; it has problems.")
        return Status(422, {"code": "flow_problems", "detail": detail, "problems": problems})
    return Status(200 if version.number == body.base_version else 201, {"flow": flow, **_version_view(version)})


@router.post("/{assistant}/flows/{flow}/draft", response={200: JsonObject, REFUSED: None})
@scoped(FLOWS_WRITE)
def put_draft(request: HttpRequest, assistant: str, flow: str, body: TypedText) -> JsonObject:
    """Keep what was typed, valid or not; other people's drafts are not touched."""
    home = _editable_assistant(request, assistant)
    keep_draft(home, Edit(_checked_flow_name(flow), body.text, base=body.base_version), _author_of(request))
    return {"flow": flow, "kept": True}


@router.post("/{assistant}/flows/{flow}/edit", response={200: JsonObject, REFUSED: None})
@scoped(FLOWS_WRITE)
def edit_graph(request: HttpRequest, assistant: str, flow: str, body: GraphEdit) -> JsonObject:
    """The smallest changes of this text that do on it what was done on the graph; nothing is stored."""
    home = _editable_assistant(request, assistant)
    words = [*body.words, language_of(home)] if body.act == "add" and len(body.words) == ADD_WORDS else body.words
    try:
        return editor_changes(EDITS[body.act](body.text, *words), body.text)
    except (EditRefused, TypeError) as error:
        detail = in_words(error) if isinstance(error, EditRefused) else _("This edit takes other words.")
        raise Refusal(422, "edit_refused", detail) from None


@router.post("/{assistant}/flows/{flow}/values", response={200: JsonObject, REFUSED: None})
@scoped(FLOWS_WRITE)
def set_flow_values(request: HttpRequest, assistant: str, flow: str, body: ValuesEdit) -> JsonObject:
    """The smallest changes of this text that set values in it, and what a check says of the new text.

    Nothing is stored. 422 if a value cannot be set there.
    """
    home = _editable_assistant(request, assistant)
    edits = [
        ValueEdit(tuple(edit.path), edit.value, edit.step, "value" not in edit.model_fields_set, tuple(edit.order))
        for edit in body.edits
    ]
    try:
        changes = set_values(body.text, edits)
    except EditRefused as error:
        raise Refusal(422, "edit_refused", in_words(error)) from None
    view = editor_changes(EditResult(changes, ""), body.text)
    checked = _checked_view(home, _checked_flow_name(flow), apply_changes(body.text, changes))
    return {"changes": view["changes"], **checked}


@router.post("/{assistant}/flows/{flow}/format", response={200: JsonObject, REFUSED: None})
@scoped(FLOWS_WRITE)
def format_text(request: HttpRequest, assistant: str, flow: str, body: DocumentText) -> JsonObject:
    """The same document in even form, with its comments; nothing is stored."""
    _editable_assistant(request, assistant)
    try:
        return {"text": format_document(body.text)}
    except SourceRefused as error:
        raise Refusal(
            422,
            "unreadable",
            _("The text cannot be read, so it cannot be formatted. Correct it first: %s") % in_words(error),
        ) from None


def _visible_assistant(request: HttpRequest, name: str) -> Assistant:
    home = Assistant.objects.filter(name=name).first()
    if home is None or not may_see_flows(person_of(request)):
        raise not_found()
    return home


def _editable_assistant(request: HttpRequest, name: str) -> Assistant:
    home = _visible_assistant(request, name)
    if not may_change_flows(person_of(request)):
        raise Refusal(403, "not_allowed", _("Flow authors change flows; you may read them."))
    return home


def _checked_flow_name(name: str) -> str:
    if not name.isascii() or not name.replace("_", "a").isalnum() or len(name) > 64:
        raise not_found()
    return name


def _author_of(request: HttpRequest) -> Account:
    user: Account = request.auth  # type: ignore[attr-defined]
    return user


def _version_view(version: FlowVersion | None) -> JsonObject:
    if version is None:
        return {"version": 0, "text": "", "author": "", "note": "", "at": None}
    author = version.author.get_username() if version.author else ""
    details = {"author": author, "note": version.note, "at": version.saved_at}
    return {"version": version.number, "text": version.text, **details}


def _problem_view(problem: Problem) -> JsonObject:
    """Text and advice are English; `words` has them in the caller's language: {text, advice, field_text, …}."""
    identity = {"code": problem.code, "rule": problem.rule, "severity": problem.severity, "path": problem.path}
    location = {"file": problem.file, "line": problem.line, "column": problem.column}
    sentences = {"text": problem.text, "advice": problem.advice, "meant": suggested_name(problem)}
    return {**identity, **location, **sentences, "words": problem_words(problem)}


def _checked_view(home: Assistant, name: str, text: str) -> JsonObject:
    checked = check_text(home, name, text)
    problems = [_problem_view(problem) for problem in checked.problems]
    return {"problems": problems, **_graph_views(home, name, text, checked), "document": document_values(text)}


def _graph_views(home: Assistant, name: str, text: str, checked: TextCheck) -> JsonObject:
    """Return {graph}, or {graph: None, sketch} for a text that makes no flow; its sketch may be None too."""
    waiting = waiting_by_step(home, name)
    if checked.flow is not None:
        return {"graph": graph_of(checked.flow, step_lines(text), waiting).plain()}
    sketch = sketch_of(text, waiting) if name != OWN_DOCUMENT else None
    return {"graph": None, "sketch": sketch.plain() if sketch else None}
