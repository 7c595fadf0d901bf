"""Flows, steps and slots as people read them: their titles in the reader's language, or their names in words.

Every page names them with these functions: `…_words` stand within a sentence ("send money"), a `…_title` begins one, or
stands in a list or as a heading ("Send money").
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.engine.language.compiler import Assistant, FlowProblems
from dialogue.engine.language.steps import AnyStep, Collect, Confirm
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.models import Assistant as Home
from dialogue.models import Release
from dialogue.models.assistants.flow import OWN_DOCUMENT
from dialogue.turns.compiled_releases import assistant_of


def readable_assistant(release: Release | None) -> Assistant | None:
    """Return the release's assistant; None without one, and if this version of the language cannot read it."""
    try:
        return assistant_of(release) if release else None
    except FlowProblems:  # written for an older version of the language, or with an action's types that are gone
        return None


def titles_of(owner: Home | Release) -> Assistant | None:
    """Return the definition from which pages take titles: of a release, or of an assistant's active one."""
    return readable_assistant(owner.active_release if isinstance(owner, Home) else owner)


def flow_words(name: str, assistant: Assistant | None) -> str:
    """The flow's title, or its name in words; an assistant's own document has its settings."""
    if name == OWN_DOCUMENT:
        return _("settings")
    flow = assistant.flows.get(name) if assistant else None
    return _in_language(flow.title if flow else None) or _name_in_words(name)


def flow_title(name: str, assistant: Assistant | None) -> str:
    """The flow as a heading: "Send money"."""
    return str(capfirst(flow_words(name, assistant)))


def titles_of_active_flows() -> dict[str, str]:
    """Return the title of each flow of the active releases by its name; that of the first assistant that has it."""
    titles: dict[str, str] = {}
    for home in Home.objects.filter(active_release__isnull=False).select_related("active_release").order_by("name"):
        definition = titles_of(home)
        for name in definition.flows if definition else ():
            titles.setdefault(name, flow_title(name, definition))
    return titles


def step_words(flow: str, step: str, assistant: Assistant | None) -> str:
    """The title of a step that has one, or what only this step of the flow asks for, or the step's name in words."""
    known_flow = assistant.flows.get(flow) if assistant else None
    steps = list(known_flow.all_steps()) if known_flow else []
    found = next((each for each in steps if each.step == step), None)
    if found is None:
        return _name_in_words(step)
    return (
        _in_language(getattr(found, "title", None)) or _question_words(found, steps, assistant) or _name_in_words(step)
    )


def step_title(flow: str, step: str, assistant: Assistant | None) -> str:
    """The step as a heading: "Ask for IBAN"."""
    return str(capfirst(step_words(flow, step, assistant)))


def place_title(flow: str, step: str, assistant: Assistant | None) -> str:
    """A step with its flow: "Send money › Approve transfer"; only the flow without a step."""
    titles = [flow_title(flow, assistant), step_title(flow, step, assistant) if step else ""]
    return " › ".join(filter(None, titles))


def titled_stack(stack: Iterable[Mapping[str, Any]], assistant: Assistant | None) -> list[dict[str, Any]]:
    """Return the entries of a stack, the running one first, each with its flow's `title` and `step_words`."""
    return [
        {
            **entry,
            "title": flow_title(entry["flow"], assistant),
            "step_words": step_words(entry["flow"], entry["step"], assistant) if entry.get("step") else "",
        }
        for entry in reversed(list(stack))
    ]


def slot_words(name: str, assistant: Assistant | None) -> str:
    """The title that a slot of this name has in the assistant or in one of its flows, or its name in words."""
    flows: Mapping[str, Any] = assistant.flows if assistant else {}
    slots = (assistant.slot(flow, name) for flow in ("", *flows)) if assistant else iter(())
    titles = (_in_language(slot.title) for slot in slots if slot is not None)
    return next(filter(None, titles), "") or ": ".join(map(words_of_name, name.split(".")))


def _question_words(step: AnyStep, steps: Iterable[AnyStep], assistant: Assistant | None) -> str:
    """What a step asks the customer for; empty where another step of the flow asks for the same."""
    match step:
        case Collect():
            is_only = sum(isinstance(each, Collect) and each.slot == step.slot for each in steps) == 1
            return _("ask for %s") % slot_words(step.slot, assistant) if is_only else ""
        case Confirm():
            is_only = sum(isinstance(each, Confirm) for each in steps) == 1
            return _("ask for a yes or no") if is_only else ""
        case _:
            return ""


def _name_in_words(name: str) -> str:
    """A name of the flow language in words; a name that another system gave, as it is."""
    return words_of_name(name) if name.isidentifier() else name


def _in_language(title: Any) -> str:
    """A title in the reader's language; empty for None."""
    return str(title.in_language(get_language() or "")) if title else ""
