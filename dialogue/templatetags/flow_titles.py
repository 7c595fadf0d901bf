"""Filters that name flows and steps as people read them, with the titles of an assistant's active release."""

from typing import Protocol

from django import template
from django.utils.translation import pgettext

from dialogue.models import Assistant, Release
from dialogue.turns.live import flow_words
from dialogue.turns.live.flow_words import titles_of
from dialogue.web.shared.words import commands

register = template.Library()


class Place(Protocol):
    """What stands at a step of a flow."""

    flow: str
    step: str


@register.filter
def flow_title(name: str, owner: Assistant | Release) -> str:
    """A flow by its name, such as "Send money"; "Settings" for the assistant's own document."""
    return flow_words.flow_title(name, titles_of(owner))


@register.filter
def step_title(place: Place, owner: Assistant | Release) -> str:
    """The step of something that has a flow and a step, such as "Ask for IBAN"."""
    return flow_words.step_title(place.flow, place.step, titles_of(owner))


@register.simple_tag
def place_title(flow: str, step: str, owner: Assistant | Release) -> str:
    """A step with its flow, such as "Send money › Approve transfer"."""
    return flow_words.place_title(flow, step, titles_of(owner))


@register.filter
def release_state(release: Release, assistant: Assistant) -> str:
    """ "active" for the release with which new conversations begin; "" for others."""
    return pgettext("release", "active") if release.pk == assistant.active_release_id else ""


@register.filter
def command_words(command: object, assistant: Assistant) -> str:
    """A command of a record, in words."""
    return commands.command_words(command, titles_of(assistant))
