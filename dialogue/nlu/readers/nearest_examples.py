"""Why a message was not understood: the example that is nearest to it, its score, and the scores that decide."""

from dialogue.engine.understanding import NearestExample
from dialogue.nlu.readers.intents import comparable_text, rank_intents, threshold_increase
from dialogue.nlu.slots.utterance import Utterance


def find_nearest_example(utterance: Utterance) -> NearestExample:
    """Return the nearest example of a flow that may start, or of a topic; with the score 0 if nothing is similar.

    The thresholds are those of this message: they are higher while any text answers the question.
    """
    (index, thresholds), increase = utterance.similarity_index, threshold_increase(utterance)
    ask, accept = round(thresholds.ask + increase, 3), round(thresholds.accept + increase, 3)
    matches = rank_intents(utterance)
    if not matches:
        return NearestExample("", "", 0.0, ask, accept)
    document = index.nearest_document(comparable_text(utterance), matches[0].label)
    example = (document.source or document.text) if document else ""
    return NearestExample(matches[0].label, example, round(matches[0].score, 3), ask, accept)
