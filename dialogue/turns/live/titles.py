"""Titles of sessions in the reader's language: those of the release's step, where it has them in several languages."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import get_language

from dialogue.engine.source.problems import FlowProblems
from dialogue.models import HITLSession
from dialogue.turns.live.serializers import listed_title
from dialogue.turns.live.values_at_stake import masked_text

if TYPE_CHECKING:
    from dialogue.engine.language.compiler import Human
    from dialogue.engine.slots.templates import Translated

MAX_TITLE_CHARACTERS = 200


def title_for_reader(session: HITLSession) -> str:
    """Return the title in the active language, or else as it was stored, in the language of the conversation.

    It is stored as the step's title in one of its languages. What is not, stays as it is: titles from agents of other
    systems, erased ones, and those that name a value which staff do not see. Reads `session.release`. Where sensitive
    values must be masked, use `listed_title_for_reader`.
    """
    titles = _titles_by_language(session)
    if session.title not in titles.values():
        return session.title
    language = get_language() or ""
    return titles.get(language) or titles.get(language.split("-", maxsplit=1)[0]) or titles[""]


def listed_title_for_reader(session: HITLSession) -> str:
    """Return the title for lists, mails and notices in the active language, with sensitive values masked."""
    return listed_title(session, title_for_reader(session))


def _titles_by_language(session: HITLSession) -> dict[str, str]:
    """Return the titles that the step gives the session, by language; "" is the assistant's own."""
    # The engine is loaded when a gate is shown, not at start.
    from dialogue.engine.stack.unknown_outcomes import staff_question
    from dialogue.turns.compiled_releases import assistant_of

    if session.is_from_agent:
        return {}
    try:
        assistant = assistant_of(session.release)
    except FlowProblems:  # written for an older version of the language
        return {}
    flow = assistant.flows.get(session.flow)
    step = flow.step(session.step) if flow and flow.has_step(session.step) else None
    question = staff_question(assistant, step) if step else None
    if question is not None:
        return _titles_of_question(question, session)
    return _texts_by_language(flow.title if flow else assistant.title)


def _titles_of_question(question: "Human", session: HITLSession) -> dict[str, str]:
    template = question.title_template
    if template is None:
        return _texts_by_language(question.title)
    texts = {entry["name"]: masked_text(entry) for entry in session.shown}
    if not template.slot_names <= texts.keys():
        return {}
    templates = {"": template, **template.translations}
    return _shortened({language: each.render(texts.get) for language, each in templates.items()})


def _texts_by_language(text: "Translated") -> dict[str, str]:
    return _shortened({"": str(text), **text.translations})


def _shortened(titles: Mapping[str, str]) -> dict[str, str]:
    return {language: title[:MAX_TITLE_CHARACTERS] for language, title in titles.items()}
