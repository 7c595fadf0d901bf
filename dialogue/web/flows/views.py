"""Flows: all of them, and one with its text beside its graph."""

import json
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from dialogue.engine.language.first_texts import first_text
from dialogue.library.demo.starter_templates import (
    FIRST_FLOW_BY_TEMPLATE,
    NameRefused,
    TemplateNotFound,
    create_assistant,
    name_from_title,
)
from dialogue.library.documents.document_check import language_of
from dialogue.library.documents.graph_edits import STEP_NAME, STEP_TEMPLATES, name_from_words
from dialogue.library.documents.search import search_flows
from dialogue.library.documents.versions import Edit, keep_draft
from dialogue.models import Assistant, Flow, Release
from dialogue.models.assistants.flow import OWN_DOCUMENT
from dialogue.turns.accept import storable_value
from dialogue.web.flows.flow_cards import assistants_with_flows, title_of_text, titled_hits
from dialogue.web.flows.page import (
    bundle_exists,
    edited_flow,
    flow_or_404,
    flow_text,
    published_text,
)
from dialogue.web.flows.panel_words import panel_words
from dialogue.web.flows.yaml_text import lines_of
from dialogue.web.shared.people import account_of_request, needs, person_of_request
from dialogue.web.shared.permissions import may_change_flows, may_publish, may_see_flows, may_test

_FIRST_FLOW = """\
flow: {name}
title: {title}
description: {description}
examples:
  - {example}
slots:
  answer: {{type: text, prompt: {question}}}
steps:
  - {{step: ask, type: collect, slot: answer}}
  - {{step: done, type: say, message: "{thanks}"}}
"""
_QUESTIONS = {"en": ("What would you like to know?", "Thank you."), "es": ("¿Qué quiere saber?", "Gracias.")}
"""The question of a new flow and its answer, by the assistant's language."""

MAX_TITLE_LENGTH = 200
PER_PAGE = 100
"""Flows on one page, the assistants' own documents counted."""


@dataclass(frozen=True)
class FormRefusal:
    """Why a form was refused, at the field that has to change."""

    field: str
    text: str


@needs(may_see_flows)
@require_GET
def flows(request: HttpRequest) -> HttpResponse:
    """Every assistant with its flows, and the results of a search in their texts."""
    return _list_page(request, _all_flows())


@needs(may_see_flows)
@require_http_methods(["GET", "POST"])
def assistant_flows(request: HttpRequest, assistant: str) -> HttpResponse:
    """One assistant with its flows; a POST begins a new flow of it."""
    home = get_object_or_404(Assistant, name=assistant)
    return (
        begin_flow(request, home)
        if request.method == "POST"
        else _list_page(request, _all_flows().filter(assistant=home))
    )


def _list_page(
    request: HttpRequest, rows: QuerySet[Flow], status: int = 200, typed: str = "", refusal: str = ""
) -> HttpResponse:
    """`refusal` says why a new flow with the name `typed` was not begun."""
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    search = request.GET.get("q", "").strip()[:200]
    person = person_of_request(request)
    facts = {
        "page": page,
        "assistant_flows": assistants_with_flows(list(page)),
        "words": search,
        "found": titled_hits(search_flows(search)),
        "may_write": may_change_flows(person),
        "may_publish": may_publish(person),
        "failure": request.GET.get("failure"),
        "typed": typed,
        "refusal": refusal,
    }
    return render(request, "dialogue/flows/list.html", facts, status=status)


@needs(may_see_flows)
@require_GET
def flow(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """One flow: its text, its problems, its graph, and who waits at which step."""
    home, row = flow_or_404(assistant, name)
    user = account_of_request(request)
    edited = edited_flow(home, row, user)
    facts = {"assistant": home, "flow": row, "release": home.active_release, "edited": edited, "graph": edited.graph}
    title = title_of_text(row.name, edited.text)
    person, words = person_of_request(request), panel_words()
    permissions = {
        "may_write": may_change_flows(person),
        "may_test": may_test(person),
        "may_publish": may_publish(person),
        "published": _published_release(request, home),
        "unpublished": edited.draft is not None or flow_text(home, row) != published_text(home, row),
        "bundled": bundle_exists(),
        "lines": lines_of(edited.text),
        "types": [(name, words["types"][name]) for name in STEP_TEMPLATES],
        "title": _("Settings of %s") % title if row.name == OWN_DOCUMENT else title,
        "panel_words": words,
        "page_keys": "flow",
    }
    steps = edited.graph.steps() if edited.graph else []
    return render(request, "dialogue/flows/flow.html", {**facts, **permissions, "steps": steps})


def _published_release(request: HttpRequest, home: Assistant) -> Release | None:
    """The active release where the editor is shown again after publishing it."""
    active = home.active_release
    return active if active and request.GET.get("published") == str(active.number) else None


@needs(may_change_flows)
def begin_flow(request: HttpRequest, home: Assistant) -> HttpResponse:
    """Begin a flow: its author's draft gets a first text that works.

    What is typed is a name, such as return_item, or a title, of which the name is made.
    """
    typed = str(storable_value(request.POST.get("name", ""))).strip()[:MAX_TITLE_LENGTH]
    is_name = STEP_NAME.fullmatch(typed) is not None
    name = typed if is_name else name_from_words(typed)
    if refusal := _name_refusal(home, name or typed):
        return _list_page(request, _all_flows().filter(assistant=home), 422, typed, refusal)
    title = name.replace("_", " ").capitalize() if is_name else json.dumps(typed, ensure_ascii=False)
    text = first_flow_text(name, title, language_of(home))
    keep_draft(home, Edit(name, text), account_of_request(request))
    return redirect("dialogue:flow", home.name, name)


def first_flow_text(name: str, title: str, language: str = "en") -> str:
    """Return the text of a new flow; `title` is YAML already."""
    question, thanks = _QUESTIONS.get(language.partition("-")[0], _QUESTIONS["en"])
    texts = {purpose: first_text(purpose, language) for purpose in ("description", "example")}
    return _FIRST_FLOW.format(name=name, title=title, question=question, thanks=thanks, **texts)


def _name_refusal(home: Assistant, name: str) -> str:
    if not STEP_NAME.fullmatch(name) or name == OWN_DOCUMENT:
        return (
            _("“%s” is not a valid flow name. Use lowercase letters, digits and _, and begin with a letter.")
            % name[:80]
        )
    if Flow.objects.filter(assistant=home, name=name).exists():
        return _("There is a flow “%s” already.") % name
    return ""


def _all_flows() -> QuerySet[Flow]:
    """All flows by assistant and name, without their texts."""
    rows = Flow.objects.filter(archived=False).select_related("assistant__active_release", "head__author")
    return rows.defer("draft", "head__text").order_by("assistant__name", "name")


@needs(may_change_flows)
@require_http_methods(["GET", "POST"])
def new_assistant(request: HttpRequest) -> HttpResponse:
    """Create an assistant from a template, and open its first flow in the editor."""
    if request.method == "GET":
        return _new_assistant_form(request)
    title = str(storable_value(request.POST.get("title", ""))).strip()[:200]
    name = request.POST.get("name", "").strip() or name_from_title(title)
    if not name:
        return _new_assistant_form(request, FormRefusal("title", _("Write a title with letters.")))
    try:
        assistant = create_assistant(
            name, title, request.POST.get("template", ""), account_of_request(request), get_language() or "en"
        )
    except NameRefused:
        return _new_assistant_form(request, FormRefusal("name", _assistant_name_refusal(name)))
    except TemplateNotFound:
        return _new_assistant_form(request, FormRefusal("template", _("Choose what the assistant begins with.")))
    return redirect("dialogue:flow", assistant.name, FIRST_FLOW_BY_TEMPLATE[request.POST["template"]])


def _assistant_name_refusal(name: str) -> str:
    if Assistant.objects.filter(name=name).exists():
        return _("There is an assistant “%s” already. Choose another name.") % name
    return (
        _("“%s” is not a valid name. Use lowercase letters, digits and underscores, and begin with a letter.")
        % name[:80]
    )


def _new_assistant_form(request: HttpRequest, refusal: FormRefusal | None = None) -> HttpResponse:
    facts = {"typed": request.POST, "refusal": refusal}
    return render(request, "dialogue/flows/new_assistant.html", facts, status=422 if refusal else 200)
