"""Flows, steps and slots as people read them: their titles in the reader's language, or their names in words."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language

from dialogue.engine.language.compiler import Assistant, FlowProblems
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.models import Assistant as Home
from dialogue.models import Release
from dialogue.turns.compiled_releases import assistant_of


def readable_assistant(release: Release | None) -> Assistant | None:
    """Return the release's assistant; None without one, and if this version of the language cannot read it."""
    try:
        return assistant_of(release) if release else None
    except FlowProblems:  # written for an older version of the language, or with an action's types that are gone
        return None


def titles_of(home: Home) -> Assistant | None:
    """Return the definition from which pages take titles: the active release's."""
    return readable_assistant(home.active_release)


def flow_words(name: str, assistant: Assistant | None) -> str:
    """The flow's title in the reader's language, or its name in words."""
    flow = assistant.flows.get(name) if assistant else None
    title = flow.title.in_language(get_language() or "") if flow else ""
    return title or words_of_name(name)


def step_words(flow: str, step: str, assistant: Assistant | None) -> str:
    """The title of a step that has one, or the step's name in words."""
    known_flow = assistant.flows.get(flow) if assistant else None
    steps = known_flow.all_steps() if known_flow else ()
    title = next((getattr(each, "title", None) for each in steps if each.step == step), None)
    return (title.in_language(get_language() or "") if title else "") or words_of_name(step)


def slot_words(name: str, assistant: Assistant | None) -> str:
    """The title that a slot of this name has in the assistant or in one of its flows, or its name in words."""
    flows: Mapping[str, Any] = assistant.flows if assistant else {}
    slots = (assistant.slot(flow, name) for flow in ("", *flows)) if assistant else iter(())
    titles = (slot.title.in_language(get_language() or "") for slot in slots if slot is not None and slot.title)
    return next(filter(None, titles), "") or ": ".join(map(words_of_name, name.split(".")))
