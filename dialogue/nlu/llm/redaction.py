"""Redaction: what a language model may see of a text; values of sensitive slots in a message become marks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.extractors import find_values
from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.slots.utterance import FIELD_MARKERS, Utterance

MAX_TEXT_CHARACTERS = 1_000


@dataclass(frozen=True)
class RedactedMessage:
    """`text` with marks instead of values, and `originals`: the value of each mark."""

    text: str
    originals: Mapping[str, str]

    def restore(self, text: str) -> str:
        """Put the values back in place of their marks."""
        for mark, original in self.originals.items():
            text = text.replace(mark, original)
        return text

    def redact(self, text: str) -> str:
        """Replace the values in another text by the marks of this message."""
        for mark, original in self.originals.items():
            text = text.replace(original, mark)
        return text


def redact_message(utterance: Utterance) -> RedactedMessage:
    """Redact everything that has the form of a sensitive slot's value: "my card is <card_1>"."""
    text, originals = utterance.text, {}
    spans = without_overlaps(_sensitive_spans(utterance))
    # From the end, so that the positions of the spans before it stay valid.
    for number, span in reversed(list(enumerate(spans, 1))):
        mark = f"<{span.value}_{number}>"
        originals[mark] = text[span.start : span.end]
        text = f"{text[: span.start]}{mark}{text[span.end :]}"
    return RedactedMessage(text, originals)


def _sensitive_spans(utterance: Utterance) -> Iterator[Span]:
    for slot in _sensitive_slots(utterance):
        for span in find_values(slot, utterance):
            if not span.weak:
                yield Span(span.start, span.end, slot.name)


def _sensitive_slots(utterance: Utterance) -> Iterator[Slot]:
    for flow_index in utterance.assistant_index.flows.values():
        for slot in flow_index.slots:
            yield from _sensitive_parts(slot)


def _sensitive_parts(slot: Slot) -> Iterator[Slot]:
    """Yield the slot if it is sensitive, or else the sensitive fields of its records."""
    if slot.sensitive:
        yield slot
    elif slot.hides_parts:
        for part in (*slot.fields.values(), *([slot.items] if slot.items else [])):
            yield from _sensitive_parts(part)


def clean_text(text: str) -> str:
    """Remove the field marks of DSPy prompts, so that a text cannot pose as another field."""
    return FIELD_MARKERS.sub(" ", text)[:MAX_TEXT_CHARACTERS]
