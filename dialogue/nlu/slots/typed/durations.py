"""Durations for whole numbers: "a week" is 7 for a slot that counts days."""

from collections.abc import Iterator, Sequence

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons import LEXICONS
from dialogue.nlu.text.tokens import folded_words

# Months and years have no fixed number of days.
DAYS_OF_UNIT = {"weeks": 7, "fortnights": 14}


def find_durations(slot: Slot, numbers: Sequence[Span], utterance: Utterance) -> Iterator[Span]:
    """Yield weeks and fortnights as days, for a slot whose name or description counts days."""
    units = utterance.lexicon.calendar.units
    # The slot may be described in another language than that of the conversation.
    tables = [lexicon.calendar.units for lexicon in LEXICONS.values()]
    description = slot.description or ""
    texts = (slot.name.replace("_", " "), description, *getattr(description, "translations", {}).values())
    words = {word for text in texts for word in folded_words(str(text))}
    counted = {table[word] for table in tables for word in words if word in table}
    if "days" not in counted or not counted.isdisjoint(DAYS_OF_UNIT):
        return
    for index, token in enumerate(utterance.tokens[1:], start=1):
        days = DAYS_OF_UNIT.get(units.get(token.folded, ""), 0)
        before = utterance.tokens[index - 1]
        number = next((span for span in numbers if span.start <= before.start < span.end), None)
        count = number.value if number is not None else utterance.lexicon.numerals.single.get(before.folded)
        if days and isinstance(count, int):
            yield Span(number.start if number is not None else before.start, token.end, count * days)
