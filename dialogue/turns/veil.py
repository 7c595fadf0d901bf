"""A transcript for people who check and do not serve: the values of sensitive slots stand behind their mask in it.

What somebody typed is kept as typed, so the values are looked for by what was understood, shown and answered. Once that
was forgotten, nobody knows any more what has to be masked, and all of it is.
"""

from collections.abc import Callable, Iterator
from typing import Any

from dialogue.models import Conversation
from dialogue.turns.answers import MASK, sensitive_texts, veil_over
from dialogue.turns.dialogues import assistant_of


def veil_of(conversation: Conversation) -> Callable[[str], str]:
    """A function that masks the sensitive values of this conversation in a text, however they are spaced."""
    names = _sensitive_names(conversation)
    if names and _is_forgotten(conversation):
        return lambda text: MASK if text else text
    return veil_over(_values(conversation, names))


def _is_forgotten(conversation: Conversation) -> bool:
    """Whether the records of turns, and with them what was understood, were kept no longer."""
    return conversation.turns.filter(record={}).exists()


def _values(conversation: Conversation, names: frozenset[str]) -> Iterator[str]:
    for kept in conversation.events.exclude(understanding=None).values_list("understanding", flat=True):
        yield from _named(kept, names)
    for shown, values in conversation.sessions.values_list("shown", "values"):
        yield from _named(values, names)
        yield from sensitive_texts(shown)
    for frame in conversation.stack:
        yield from sensitive_texts(frame["slots"].values())


def _sensitive_names(conversation: Conversation) -> frozenset[str]:
    """The sensitive slots of every flow and of every form of the release."""
    assistant = assistant_of(conversation.release)
    flows = list(assistant.flows.values())
    places = [assistant.slots, *(flow.slots for flow in flows)]
    places += [getattr(step, "form", {}) for flow in flows for step in flow.all_steps()]
    return frozenset(name for slots in places for name, slot in slots.items() if slot.sensitive)


def _named(kept: Any, names: frozenset[str]) -> Iterator[str]:
    """The values under these names, wherever they stand in a stored JSON value."""
    if isinstance(kept, list):
        for each in kept:
            yield from _named(each, names)
    elif isinstance(kept, dict):
        for name, value in kept.items():
            plain = isinstance(value, str | int | float)
            yield from [str(value)] if plain and name in names else _named(value, names)
