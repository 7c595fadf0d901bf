"""How clear a request must be: clearer where any text would answer, or where the flow that runs is as like."""

from dialogue.nlu.readers.corrections import cued
from dialogue.nlu.readers.free_text import gives_name
from dialogue.nlu.readers.intents import Request, is_topic, read_request
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowSense, is_free
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length

# How much liker a message must be to a request while any text would do for an answer.
RAISED_BY_FREE_TEXT = 0.15
RAISED_BY_NAME = 0.35
# And while a flow runs, where a message asks for something else of the same kind.
RAISED_BY_OTHERS = 0.3


def raised(utterance: Utterance) -> float:
    """How much clearer a request must be where any text would do, most where a name answers the question."""
    slot = utterance.awaited_slot
    if slot is None and asks_for_others(utterance):
        return RAISED_BY_OTHERS
    if slot is None or not is_free(slot) or is_request_alone(utterance):
        return 0.0
    if gives_name(slot, utterance):
        return RAISED_BY_NAME
    return 0.0 if utterance.is_question else RAISED_BY_FREE_TEXT


def asks_for_others(utterance: Utterance) -> bool:
    """ "Is there anything else on the 4th?": what the running flow has found is not what was wanted."""
    return utterance.top is not None and not utterance.lexicon.cues.other_one_words.isdisjoint(utterance.folded)


def is_request_alone(utterance: Utterance) -> bool:
    """ "I want to make a transfer": nothing in it could be text for another question."""
    request = read_request(utterance)
    return (
        request is not None
        and not is_topic(request)
        and only_asks_for(utterance.program.senses[request.name], utterance)
    )


def only_asks_for(sense: FlowSense, utterance: Utterance) -> bool:
    """ "I want to make a transfer" names the flow and nothing that could be its text."""
    opened = prefix_length(utterance.folded, utterance.lexicon.acts.openers)
    return bool(opened) and not set(utterance.folded) - FUNCTION_WORDS - sense.vocabulary


def is_untold(wanted: Request, utterance: Utterance) -> bool:
    """ "No, the address should be …" names what could be asked about, and asks nothing."""
    return is_topic(wanted) and utterance.busy and not utterance.is_question and cued(utterance)


def is_top(wanted: Request, utterance: Utterance) -> bool:
    return utterance.top is not None and wanted.name == utterance.top.name


def outweighs(wanted: Request, utterance: Utterance) -> bool:
    return wanted.score >= utterance.program.thresholds.accept
