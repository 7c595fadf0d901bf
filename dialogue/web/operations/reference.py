"""The page that explains the flow language: every part with its keys, an example, and the flows that use it."""

import re
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_GET

from dialogue.engine.language.reference import Chapter, KeyEntry, language_reference
from dialogue.models import Flow
from dialogue.web.operations.reference_examples import EXAMPLES, PARTS, TITLES
from dialogue.web.shared.people import needs
from dialogue.web.shared.permissions import may_see_flows
from dialogue.web.shared.words.findings import in_other_words

MAX_SEARCH_CHARACTERS = 60
MAX_READ_FLOWS = 500
MAX_USES = 8
"""Flows that a chapter names; the newest changes come first."""
CHAPTER_NAME = re.compile(r"\b([A-Z]\w+)\b")
KIND_WORDS = {"map of names to {kind}": gettext_noop("names, each with its value: {kind}")}
"""Words for readers of the page, by the template that they stand for."""
STEP_TYPE = re.compile(r"\btype:\s*(\w+)")


@dataclass(frozen=True)
class KeyRow:
    """A key of a chapter: its kind, in which names of chapters are links, and what it does in the reader's language."""

    key: KeyEntry
    kind: SafeString
    description: str


@dataclass(frozen=True)
class Section:
    """A chapter as the page shows it: its description and title in the reader's language, an example ("" without one)
    and the flows that use it.
    """

    chapter: Chapter
    description: str
    keys: tuple[KeyRow, ...]
    title: str | Promise
    example: str
    uses: list[Flow]
    more_uses: int


@dataclass(frozen=True)
class Group:
    """Sections under one heading."""

    title: str
    sections: list[Section]


@needs(may_see_flows)
@require_GET
def reference_page(request: HttpRequest) -> HttpResponse:
    """Every part of the language, or those that have the searched words."""
    search = request.GET.get("q", "").strip()[:MAX_SEARCH_CHARACTERS]
    uses = _flows_by_step_type()
    sections = [_section(chapter, uses) for chapter in language_reference()]
    shown_sections = [section for section in sections if _has_words(section, search.casefold().split())]
    groups = [group for group in _grouped(shown_sections) if group.sections]
    return render(request, "dialogue/flows/reference.html", {"groups": groups, "search": search})


def _grouped(sections: list[Section]) -> list[Group]:
    """The steps by their type, the other chapters by what they are about."""
    steps = sorted((each for each in sections if each.chapter.step), key=lambda section: str(section.title))
    named = {name for _title, names in PARTS for name in names}
    by_name = {section.chapter.name: section for section in sections}
    parts = [Group(str(title), [by_name[name] for name in names if name in by_name]) for title, names in PARTS]
    others = [section for section in sections if not section.chapter.step and section.chapter.name not in named]
    return [parts[0], Group(_("Steps"), steps), *parts[1:], Group(_("Other parts"), others)]


def _section(chapter: Chapter, uses: dict[str, list[Flow]]) -> Section:
    flows = uses.get(chapter.step, []) if chapter.step else []
    title = TITLES.get(chapter.name, chapter.name)
    keys = tuple(KeyRow(key, _kind_words(key), _key_words(chapter, key)) for key in chapter.keys)
    more_uses = max(0, len(flows) - MAX_USES)
    description, example = _in_words(chapter.description), EXAMPLES.get(chapter.name, "")
    return Section(chapter, description, keys, title, example, flows[:MAX_USES], more_uses)


def _kind_words(key: KeyEntry) -> SafeString:
    return _linked_kind(in_other_words(key.kind, KIND_WORDS))


def _key_words(chapter: Chapter, key: KeyEntry) -> str:
    if key.name == "type" and chapter.step:
        return _("Says that it is this kind of step.")
    return _in_words(key.description)


def _in_words(description: str) -> str:
    return _(description) if description else ""


def _linked_kind(kind: str) -> SafeString:
    """Return "list of HumanAction" with the title of that chapter, as a link, in place of its name."""
    parts = re.split(CHAPTER_NAME, kind)  # texts and names take turns
    page = reverse("dialogue:reference")
    return format_html_join("", "{}", ((_chapter_link(page, part) if part in TITLES else part,) for part in parts))


def _chapter_link(page: str, name: str) -> SafeString:
    return format_html('“<a class="link" href="{}#{}">{}</a>”', page, name, TITLES[name])


def _has_words(section: Section, words: list[str]) -> bool:
    chapter = section.chapter
    keys = (f"{row.key.name} {row.description}" for row in section.keys)
    text = " ".join([chapter.name, chapter.step, str(section.title), section.description, *keys]).casefold()
    return all(word in text for word in words)


def _flows_by_step_type() -> dict[str, list[Flow]]:
    """The flows whose last saved version has a step of each type. One query."""
    rows = Flow.objects.filter(archived=False, head__isnull=False).select_related("assistant__active_release", "head")
    uses: dict[str, list[Flow]] = {}
    for flow in rows.order_by("-head_id")[:MAX_READ_FLOWS]:
        for step_type in dict.fromkeys(STEP_TYPE.findall(flow.head.text if flow.head else "")):
            uses.setdefault(step_type, []).append(flow)
    return uses
