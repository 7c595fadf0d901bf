"""What the customer's chat shows of a release: its title, what it is for, questions to begin with, files it takes,
and the languages that it has.
"""

import json
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.models import Assistant, Conversation
from dialogue.web.shared.languages import offered_languages

MAX_STARTERS = 4


def texts_of_release(row: Conversation | None, home: Assistant) -> dict[str, Any]:
    """Return what the page shows of the release: {title, description} in the page's language, and the rest:

    `endings` are those of the files that the assistant takes, for the browser's file chooser; "" if it takes none.
    `starters` are only read while the chat is empty; `next_steps` are offered whenever nothing is asked: the same
    questions and a person, as the JSON text of a list of {label, value}. `languages` are (code, name) of those that
    can be chosen.
    """
    from dialogue.engine.slots.templates import Translated
    from dialogue.turns.compiled_releases import assistant_of  # the engine is loaded with the first chat, not at start
    from dialogue.turns.files.uploads import accepted_endings

    release = row.release if row else home.active_release
    if release is None:
        nothing = {"endings": "", "starters": [], "next_steps": "[]", "languages": []}
        return {"title": home.title, "description": home.description, **nothing}
    assistant, language = assistant_of(release), get_language() or ""
    description, starters = assistant.description, _starters(assistant, language)
    return {
        # The stored title is the newest one, which a conversation on an earlier release shows too.
        "title": Translated(home.title, assistant.title.translations).in_language(language),
        "description": description.in_language(language) if description else "",
        "endings": accepted_endings(release),
        "starters": [] if row and row.last_message else starters,
        "next_steps": json.dumps(_next_steps(starters)),
        "languages": _languages(assistant),
    }


def _languages(assistant: Any) -> list[tuple[str, str]]:
    """The languages of the assistant that the page speaks too: its own, and those into which its steps' messages are
    translated.
    """
    messages = (getattr(step, "message", None) for flow in assistant.flows.values() for step in flow.all_steps())
    tags = {tag for message in messages for tag in getattr(message, "translations", {})}
    spoken = {_main_language(tag) for tag in (assistant.language, *tags)}
    return [(code, name) for code, name in offered_languages() if code in spoken]


def _next_steps(starters: list[dict[str, str]]) -> list[dict[str, str]]:
    """What a customer may do where a flow has ended, so that a refusal is no dead end. A person can always be asked."""
    steps = [{"label": capfirst(starter["title"]), "value": starter["text"]} for starter in starters]
    return [*steps, {"label": _("Talk to a person"), "value": _("I want to talk to a person")}]


def _starters(assistant: Any, language: str) -> list[dict[str, str]]:
    """Questions to begin with: {title, text} of flows that a message may start, at most `MAX_STARTERS`.

    The text is an example of the flow. Examples of all languages stand in one list, so in another language than the
    assistant's own the translated title is sent.
    """
    starters, is_own = [], _main_language(language) == _main_language(assistant.language)
    for flow in assistant.flows.values():
        title = flow.title.in_language(language)
        examples = whole_examples(flow)
        if flow.start and examples:
            text = examples[0] if is_own or title == str(flow.title) else title
            starters.append({"title": title, "text": text})
    return starters[:MAX_STARTERS]


def whole_examples(flow: Any) -> list[str]:
    """Examples of a flow without a place for a value, so that they can be sent as they are."""
    return [example for example in flow.examples if "{" not in example]


def _main_language(tag: str) -> str:
    """The language of a tag without its region: "es" of "es-MX"."""
    return tag.split("-", maxsplit=1)[0].lower()
