"""Words for programs and runs."""

import json
from collections.abc import Mapping

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.web.shared.understanding_words import WAYS_TO_TRAIN, WAYS_TO_UNDERSTAND

register = template.Library()

_WORDS = {
    "evaluation": gettext_lazy("Measurement"),
    "optimisation": gettext_lazy("Training of a program"),
    "running": gettext_lazy("running"),
    "done": gettext_lazy("done"),
    "broken": gettext_lazy("interrupted"),
    "candidate": gettext_lazy("candidate"),
    "serving": gettext_lazy("in use"),
    "retired": gettext_lazy("used before"),
}
_STAGES = {
    "reading": gettext_lazy("playing the scenarios"),
    "learning": gettext_lazy("learning"),
    "before": gettext_lazy("measuring what is in use now"),
    "after": gettext_lazy("measuring"),
}


@register.filter
def run_words(word: str) -> str:
    """A kind or a state, in the reader's language."""
    return str(_WORDS.get(word, word))


@register.filter
def way_words(way: str) -> str:
    """How a run understands messages or trains a program, in the reader's language."""
    return str({**WAYS_TO_UNDERSTAND, **WAYS_TO_TRAIN}.get(way, way))


@register.filter
def flow_or_topic(other: str, titles: Mapping[str, str]) -> str:
    """The flow or the topic of an example that is close, as `CloseExample.other` names it."""
    kind, _separator, name = other.partition(" ")
    return _("the question “%s”") % name if name else titles.get(kind, kind)


@register.filter
def stage_words(stage: str) -> str:
    """What a run is at, in the reader's language."""
    return str(_STAGES.get(stage, stage))


@register.filter
def scenario_command(command: object) -> str:
    """A command as scenarios write it, without the words that it was read from."""
    if isinstance(command, str):
        return command
    arguments = (
        {name: value for name, value in command.items() if name != "words"} if isinstance(command, dict) else command
    )
    return json.dumps(arguments, ensure_ascii=False)
