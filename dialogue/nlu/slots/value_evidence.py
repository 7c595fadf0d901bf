"""Values as evidence for a flow: only one flow asks for an e-mail address and for what is called "lock"."""

from collections.abc import Mapping, Sequence

from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FlowIndex, is_free_text
from dialogue.nlu.slots.extractors import find_values
from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.slots.strong_values import strong_values
from dialogue.nlu.slots.utterance import Utterance

# Numbers and days are said for many reasons, and the examples' placeholders are compared with them already.
NUMBER_AND_DATE_TYPES = NUMBER_TYPES | {"date", "time", "datetime"}
MAX_VALUES_COUNTED = 3
MIN_VALUE_LETTERS = 3


def value_evidence(flows: Sequence[FlowIndex], utterance: Utterance) -> Mapping[str, float]:
    """Return by flow how many values the message holds for its slots, up to 3.0.

    A value counts less where more of the flows have a slot for it, and nothing where all have: what other people talk
    about counts as one more flow that may.
    """
    spans_by_flow = {flow.name: _values_of(flow, utterance) for flow in flows}
    return {flow.name: _evidence_for(flow.name, spans_by_flow) for flow in flows}


def _evidence_for(flow: str, spans_by_flow: Mapping[str, Sequence[Span]]) -> float:
    others = [spans for name, spans in spans_by_flow.items() if name != flow]
    shares = (
        1 - (1 + sum(any(map(span.overlaps, spans)) for spans in others)) / (1 + len(others))
        for span in spans_by_flow[flow]
    )
    return sum(sorted(shares, reverse=True)[:MAX_VALUES_COUNTED])


def _values_of(flow: FlowIndex, utterance: Utterance) -> Sequence[Span]:
    slots = [slot for slot in flow.slots if _has_form(slot)]
    single = [slot for slot in slots if slot.type != "list"]
    spans = [span for spans in strong_values(single, utterance).values() for span in spans]
    spans += [span for slot in slots if slot.type == "list" for span in _items_of(slot, utterance)]
    return without_overlaps(span for span in spans if span.length >= MIN_VALUE_LETTERS)


def _has_form(slot: Slot) -> bool:
    item = slot.items or slot
    return not is_free_text(item) and item.options_from is None and item.type not in NUMBER_AND_DATE_TYPES


def _items_of(slot: Slot, utterance: Utterance) -> list[Span]:
    return [span for span in find_values(slot.items, utterance) if not span.weak] if slot.items is not None else []
