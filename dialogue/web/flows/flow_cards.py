"""The cards of the page "Flows": titles, who edited last, what is not published yet, and how many wait."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import get_language
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from dialogue.library.documents.search import SearchHit
from dialogue.models import Assistant, Flow, FlowDraft, FlowVersion
from dialogue.models.account import display_name
from dialogue.models.assistants.flow import OWN_DOCUMENT
from dialogue.turns.live.flow_words import flow_title, flow_words, titles_of
from dialogue.web.flows.page import waiting_by_flow

_TITLE_LINE = re.compile(r"(?m)^title:[ \t]+(.*)$")
_YAML_MARKS = tuple("\"'{[")
"""What a title begins with that is more than plain words."""


@dataclass(frozen=True)
class FlowCard:
    """One document on its card. `editor` and `edited_at` are of the newest draft, else of the newest version.

    `kind` is "new" (in no release yet), "draft" (typed, not saved), "changed" (saved, not published) or "live".
    """

    flow: Flow
    title: str
    kind: str
    waits: int
    editor: str
    edited_at: datetime | None


@dataclass(frozen=True)
class AssistantFlows:
    """An assistant with those of its flows that are on this page; `own` is the card of its own document."""

    assistant: Assistant
    flows: list[Flow]
    cards: list[FlowCard]
    own: FlowCard | None

    @property
    def unpublished_count(self) -> int:
        """How many of its documents on this page differ from the active release."""
        own = [self.own] if self.own else []
        return sum(card.kind != "live" for card in (*self.cards, *own))


def assistants_with_flows(rows: Sequence[Flow]) -> list[AssistantFlows]:
    """The flows of one page by assistant, in their order."""
    waits, published = waiting_by_flow(), _published_texts(rows)
    drafts, titles = _newest_drafts(rows), _titles(rows)
    groups = []
    for home, flows_of_home in groupby(rows, key=lambda row: row.assistant):
        flows = list(flows_of_home)
        cards = [
            _card(row, titles[row.pk], waits.get(f"{home.name}/{row.name}", 0), drafts.get(row.pk), published)
            for row in flows
        ]
        own = next((card for card in cards if card.flow.name == OWN_DOCUMENT), None)
        groups.append(AssistantFlows(home, flows, [card for card in cards if card is not own], own))
    return groups


def _card(row: Flow, title: str, waits: int, draft: FlowDraft | None, published: Mapping[int, str]) -> FlowCard:
    if draft is not None:
        return FlowCard(row, title, "draft", waits, display_name(draft.author), draft.saved_at)
    head = row.head
    if head is None:
        return FlowCard(row, title, "new", waits, "", None)
    kind = "new" if row.pk not in published else "live" if published[row.pk] == head.sha256 else "changed"
    return FlowCard(row, title, kind, waits, display_name(head.author) if head.author else "", head.saved_at)


def _published_texts(rows: Sequence[Flow]) -> dict[int, str]:
    """The hash of each flow's text in the active release of its assistant; flows that are in none are left out."""
    releases = {row.assistant.active_release_id for row in rows if row.assistant.active_release_id}
    versions = FlowVersion.objects.filter(releases__in=releases, flow__in=[row.pk for row in rows])
    return dict(versions.values_list("flow_id", "sha256").order_by())


def _newest_drafts(rows: Sequence[Flow]) -> dict[int, FlowDraft]:
    drafts = FlowDraft.objects.filter(flow__in=[row.pk for row in rows]).select_related("author").defer("text")
    return {draft.flow_id: draft for draft in drafts.order_by("saved_at")}


def _titles(rows: Sequence[Flow]) -> dict[int, str]:
    """The title of each flow as its newest text says, else its name in words."""
    heads = [row.head_id for row in rows if row.head_id]
    texts = dict(FlowVersion.objects.filter(pk__in=heads).values_list("flow_id", "text").order_by())
    return {row.pk: title_of_text(row.name, texts.get(row.pk, "")) for row in rows}


def title_of_text(name: str, text: str) -> str:
    """The flow's title as its text says it, which may not be published yet: "Send money"; else its name in words."""
    return str(capfirst(_title_in(text) or flow_words(name, None)))


def titled_hits(hits: Sequence[SearchHit]) -> list[tuple[SearchHit, str]]:
    """Return each hit with its assistant and its flow: "Harbour Bank › Send money"."""
    homes = Assistant.objects.select_related("active_release").in_bulk(
        {hit.assistant for hit in hits}, field_name="name"
    )
    return [
        (hit, f"{home.translated_title} › {flow_title(hit.flow, titles_of(home))}")
        for hit in hits
        if (home := homes.get(hit.assistant))
    ]


def _title_in(text: str) -> str:
    """The title of a flow's text in the reader's language; "" without a title in one line.

    Only that line is parsed, because the list shows a hundred flows.
    """
    line = _TITLE_LINE.search(text)
    value = line.group(1) if line else ""
    if not value.startswith(_YAML_MARKS):
        return value.partition(" #")[0].strip()
    try:
        title: Any = YAML(typ="safe", pure=True).load(value)
    except YAMLError:
        return ""
    if isinstance(title, dict):
        language = get_language() or ""
        title = title.get(language) or title.get(language.partition("-")[0]) or next(iter(title.values()), "")
    return title if isinstance(title, str) else ""
