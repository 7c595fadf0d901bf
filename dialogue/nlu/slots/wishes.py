"""Yes/no slots that a request mentions beside other things: "with helmets", "no insurance"."""

from collections.abc import Mapping

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import suffix_length
from dialogue.nlu.text.tokens import folded_words


def wished_values(flow_index: FlowIndex, utterance: Utterance) -> Mapping[str, Span]:
    """Return by slot name yes or no, where a word that leads to a wish or a refusal stands before the slot's name."""
    if utterance.is_question:
        return {}
    spans = {slot.name: _wish_for(slot, flow_index, utterance) for slot in flow_index.slots if slot.type == "boolean"}
    return {name: span for name, span in spans.items() if span is not None}


def _wish_for(slot: Slot, flow_index: FlowIndex, utterance: Utterance) -> Span | None:
    translations: Mapping[str, str] = getattr(slot.description or "", "translations", {})
    described = translations.get(utterance.context.language, "")
    name_words = (
        set(folded_words(f"{slot.name.replace('_', ' ')} {described}")) - FUNCTION_WORDS - flow_index.vocabulary
    )
    for index, token in enumerate(utterance.tokens):
        value = _value_before(index, utterance) if token.folded in name_words else None
        if value is not None:
            return Span(token.start, token.end, value)
    return None


def _value_before(index: int, utterance: Utterance) -> bool | None:
    cues, acts = utterance.lexicon.cues, utterance.lexicon.acts
    before = list(utterance.folded[:index])
    while before and before[-1] in cues.articles | cues.determiners - cues.adding_words and before[-1] != "no":
        before.pop()
    last = before[-1:]
    if suffix_length(before, cues.negations) or (last and last[0] in cues.denials) or (tuple(last) in acts.no):
        return False
    return True if last and last[0] in cues.adding_words else None
