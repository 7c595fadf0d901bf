"""What a language model must not see: values of sensitive slots in a message stand behind marks that can be undone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.extractors import find_values
from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.slots.utterance import Utterance


@dataclass(frozen=True)
class RedactedMessage:
    """`text` with marks in it, and what each mark stands for."""

    text: str
    originals: Mapping[str, str]

    def restore(self, text: str) -> str:
        for mark, original in self.originals.items():
            text = text.replace(mark, original)
        return text

    def redact(self, text: str) -> str:
        """The same words with the marks that the message has for them."""
        for mark, original in self.originals.items():
            text = text.replace(original, mark)
        return text


def redact_message(utterance: Utterance) -> RedactedMessage:
    """The message without what has the form of a sensitive slot's value: "my card is <card_1>"."""
    text, originals = utterance.text, {}
    spans = without_overlaps(_sensitive_spans(utterance))
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
        yield from (slot for slot in flow_index.slots if slot.sensitive)
