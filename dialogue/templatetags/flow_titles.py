"""Filters that name flows and steps as people read them, with the titles of an assistant's active release."""

from typing import Protocol

from django import template
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from dialogue.models import Assistant
from dialogue.web.shared.words import commands
from dialogue.web.shared.words.flows import flow_words, step_words, titles_of

register = template.Library()
ASSISTANT_DOCUMENT = "assistant"


class Place(Protocol):
    """What stands at a step of a flow."""

    flow: str
    step: str


@register.filter
def flow_title(name: str, assistant: Assistant) -> str:
    """A flow by its name, such as "Send money"; "Assistant" for the assistant's own document."""
    if name == ASSISTANT_DOCUMENT:
        return _("Assistant")
    return str(capfirst(flow_words(name, titles_of(assistant))))


@register.filter
def step_title(place: Place, assistant: Assistant) -> str:
    """The step of something that has a flow and a step, such as "Ask IBAN"."""
    return str(capfirst(step_words(place.flow, place.step, titles_of(assistant))))


@register.filter
def command_words(command: object, assistant: Assistant) -> str:
    """A command of a record, in words."""
    return commands.command_words(command, titles_of(assistant))
