"""How clear a request must be: clearer where any text would answer, or where the flow that runs is as like."""

from dialogue.nlu.readers.corrections import has_correction_cue
from dialogue.nlu.readers.free_text import has_name_for
from dialogue.nlu.readers.intents import IntentPrediction, classify_intent, is_topic
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, is_free_text
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length

# How much liker a message must be to a request while any text would do for an answer.
FREE_TEXT_INCREASE = 0.15
NAME_INCREASE = 0.35
# And while a flow runs, where a message asks for something else of the same kind.
OTHER_RESULT_INCREASE = 0.3


def threshold_increase(utterance: Utterance) -> float:
    """How much clearer a request must be where any text would do, most where a name answers the question."""
    slot = utterance.awaited_slot
    if slot is None and asks_for_other_results(utterance):
        return OTHER_RESULT_INCREASE
    if slot is None or not is_free_text(slot) or is_only_request(utterance):
        return 0.0
    if has_name_for(slot, utterance):
        return NAME_INCREASE
    return 0.0 if utterance.is_question else FREE_TEXT_INCREASE


def asks_for_other_results(utterance: Utterance) -> bool:
    """ "Is there anything else on the 4th?": what the running flow has found is not what was wanted."""
    return utterance.running_flow is not None and not utterance.lexicon.cues.other_one_words.isdisjoint(
        utterance.folded
    )


def is_only_request(utterance: Utterance) -> bool:
    """ "I want to make a transfer": nothing in it could be text for another question."""
    request = classify_intent(utterance)
    return (
        request is not None
        and not is_topic(request)
        and only_asks_for(utterance.assistant_index.flows[request.name], utterance)
    )


def only_asks_for(flow_index: FlowIndex, utterance: Utterance) -> bool:
    """ "I want to make a transfer" names the flow and nothing that could be its text."""
    has_opener = prefix_length(utterance.folded, utterance.lexicon.acts.openers)
    return bool(has_opener) and not set(utterance.folded) - FUNCTION_WORDS - flow_index.vocabulary


def is_topic_in_correction(intent: IntentPrediction, utterance: Utterance) -> bool:
    """ "No, the address should be …" names what could be asked about, and asks nothing."""
    return is_topic(intent) and utterance.has_open_flow and not utterance.is_question and has_correction_cue(utterance)


def is_running_flow(intent: IntentPrediction, utterance: Utterance) -> bool:
    return utterance.running_flow is not None and intent.name == utterance.running_flow.name


def is_accepted(intent: IntentPrediction, utterance: Utterance) -> bool:
    return intent.score >= utterance.assistant_index.thresholds.accept
