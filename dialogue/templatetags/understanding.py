"""Words for programs and runs."""

from collections.abc import Mapping

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.web.shared.words.understanding import WAYS_TO_TRAIN, WAYS_TO_UNDERSTAND

register = template.Library()

_WORDS = {
    "evaluation": gettext_lazy("Measurement"),
    "optimisation": gettext_lazy("Training"),
    "running": gettext_lazy("running"),
    "done": gettext_lazy("done"),
    "broken": gettext_lazy("interrupted"),
    "candidate": gettext_lazy("candidate"),
    "serving": gettext_lazy("in use"),
    "retired": gettext_lazy("used before"),
}
_JOBS = {
    "evaluation": gettext_lazy("Measuring how well messages are understood"),
    "optimisation": gettext_lazy("Training a program for the language model"),
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
def job_words(kind: str) -> str:
    """A run that is on its way, by its kind."""
    return str(_JOBS.get(kind, kind))


@register.filter
def way_words(way: str) -> str:
    """How a run understands messages or trains a program, in the reader's language."""
    return str({**WAYS_TO_UNDERSTAND, **WAYS_TO_TRAIN}.get(way, way))


@register.filter
def flow_or_topic(other: str, titles: Mapping[str, str]) -> str:
    """The flow or the topic of an example that is close, as `CloseExample.other` names it."""
    kind, _separator, name = other.partition(" ")
    return _("the question “%s”") % words_of_name(name) if name else titles.get(kind, kind)


@register.filter
def stage_words(stage: str) -> str:
    """What a run is at, in the reader's language."""
    return str(_STAGES.get(stage, stage))
