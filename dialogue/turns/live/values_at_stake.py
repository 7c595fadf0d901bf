"""The values of a gate that tell it from others: in rows of lists, mails and notices, and as a text to search in.

Sensitive values are masked in all of them, for every reader, because lists are open on any screen.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import get_language

from dialogue.models import Conversation, HITLSession, Release
from dialogue.turns.live.serializers import MASK, redactor_for_values, sensitive_texts

MAX_VALUES = 2
"""Values of a gate without a summary of its own."""
MAX_VALUE_CHARACTERS = 60
MAX_SEARCH_CHARACTERS = 500
MIN_PARTLY_VISIBLE_CHARACTERS = 8
"""Of a shorter sensitive text, the last four characters would give most away."""
SEPARATOR = " · "
"""What stands between the values, also in the summaries that authors write."""

_WRITTEN_BY_LANGUAGE = frozenset({"money", "number", "integer", "date", "time"})

Entry = Mapping[str, Any]


def values_in_brief(session: HITLSession) -> list[str]:
    """Return the texts of the summary that the flow's author wrote, or else of the first two values that staff see."""
    redactor = redactor_for_values(sensitive_texts(session.shown))
    if session.summary:
        return [text for part in session.summary.split(SEPARATOR) if (text := redactor(part.strip()))]
    entries = [entry for entry in session.shown if entry.get("value") not in (None, "", [], {})]
    texts = (text_for_reader(session, entry) or masked_text(entry) for entry in entries[:MAX_VALUES])
    return [
        _brief_text(session, entry, redactor(text)) for entry, text in zip(entries[:MAX_VALUES], texts, strict=True)
    ]


def summary_line(session: HITLSession) -> str:
    """Return the values in brief as one line: "€8,450.00 · Lindqvist Marine AB"."""
    return SEPARATOR.join(values_in_brief(session))


def authors_summary(session: HITLSession) -> str:
    """Return the summary that the flow's author wrote; "" without one.

    Mails say no value that the author did not ask them to say, because they leave the house.
    """
    return summary_line(session) if session.summary else ""


def label_of_value(session: HITLSession, name: str) -> str:
    """Return what pages call a value of this session's flow: its slot's title, or else its name in words."""
    # The engine is loaded when a gate is shown, not at start.
    from dialogue.engine.slots.definitions.labels import label_of_slot
    from dialogue.turns.compiled_releases import assistant_of

    slot = assistant_of(session.release).slot(session.flow, name)
    return label_of_slot(name, slot.title if slot else None, get_language() or "")


def text_for_reader(session: HITLSession, entry: Entry) -> str:
    """Return an amount, a number or a day of a gate as the reader writes it, so that rows can be compared.

    Returns "" for other values, and for those that an agent of another system sent.
    """
    if session.is_from_agent:
        return ""
    return slot_text_for_reader(session.conversation, session.release, session.flow, entry["name"], entry)


def slot_text_for_reader(conversation: Conversation, release: Release, flow: str, name: str, entry: Entry) -> str:
    """Return the amount, the number or the day in a slot as the reader writes it; "" for other values.

    It is stored in the language of the conversation. A text that does not say the stored value in that language stays
    as it is.
    """
    # The engine is loaded when a gate is shown, not at start.
    from dialogue.engine.slots.display import format_value
    from dialogue.engine.source.problems import FlowProblems
    from dialogue.turns.compiled_releases import assistant_of

    if entry.get("sensitive") or not isinstance(entry.get("value"), str | int | float):
        return ""
    try:
        assistant = assistant_of(release)
    except FlowProblems:  # written for an older version of the language
        return ""
    slot = assistant.slot(flow, name)
    if slot is None or slot.type not in _WRITTEN_BY_LANGUAGE:
        return ""
    stored_in = conversation.language or assistant.language
    try:
        if format_value(slot, entry["value"], language=stored_in) != entry.get("shown"):
            return ""
    except (ValueError, ArithmeticError):  # stored while the slot had another type
        return ""
    return format_value(slot, entry["value"], language=get_language() or "en")


def searchable_text(session: HITLSession) -> str:
    """Return the values that are not sensitive, as they are shown and as they are stored, in lower case."""
    redactor = redactor_for_values(sensitive_texts(session.shown))
    texts = [*(text for entry in session.shown for text in _plain_texts(entry)), session.summary]
    return redactor(" ".join(dict.fromkeys(filter(None, texts))).casefold())[:MAX_SEARCH_CHARACTERS]


def _brief_text(session: HITLSession, entry: Entry, text: str) -> str:
    """Return a value's text; yes and no say nothing without the name of what they answer."""
    if len(text) > MAX_VALUE_CHARACTERS:
        text = f"{text[:MAX_VALUE_CHARACTERS].rstrip()}…"
    if isinstance(entry["value"], bool) and not entry.get("sensitive"):
        text = yes_or_no(entry["value"])
    return f"{label_of_value(session, entry['name'])}: {text}" if isinstance(entry["value"], bool) else text


def yes_or_no(value: bool) -> str:
    """Return the text of a boolean value in the active language; it is stored in the language of the conversation."""
    # The engine is loaded when a gate is shown, not at start.
    from dialogue.engine.slots.display import format_value
    from dialogue.engine.slots.models import Slot

    return format_value(Slot(type="boolean"), value, language=get_language() or "en")


def masked_text(entry: Entry) -> str:
    seen = {**entry, **entry.get("masked", {})}
    text = " ".join(str(seen.get("shown") or seen.get("value") or "").split())
    if not entry.get("sensitive"):
        return text
    return text if MASK in text else f"{MASK} {text[-4:]}" if len(text) >= MIN_PARTLY_VISIBLE_CHARACTERS else MASK


def _plain_texts(entry: Entry) -> Iterator[str]:
    value = entry.get("value")
    if entry.get("sensitive") or value is None or isinstance(value, bool):
        return
    yield masked_text(entry)
    if isinstance(value, str | int | float):
        yield str(value)
