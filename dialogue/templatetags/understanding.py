"""Words for programs and runs."""

import json

from django import template
from django.utils.translation import gettext_lazy

register = template.Library()

_WORDS = {
    "evaluation": gettext_lazy("Evaluation"),
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


@register.simple_tag
def program_of(serving: dict[int, int], assistant: int) -> int:
    """The number of the program that serves an assistant; 0 for the built-in one."""
    return serving.get(assistant, 0)
