"""How clear a request must be: clearer where any text would answer, or where the flow that runs is as like."""

from dialogue.nlu.readers.corrections import cued
from dialogue.nlu.readers.intents import Request, is_topic, read_request
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowSense, is_free
from dialogue.nlu.slots.free_text import gives_name
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import starts_with

# How much liker a message must be to a request while any text would do for an answer.
RAISED_BY_FREE_TEXT = 0.15
RAISED_BY_NAME = 0.35
# And while a flow runs, where a message asks for something else of the same kind.
RAISED_BY_OTHERS = 0.3


def raised(said: Utterance) -> float:
    """How much clearer a request must be where any text would do, most where a name answers the question."""
    slot = said.awaited_slot
    if slot is None and asks_for_others(said):
        return RAISED_BY_OTHERS
    if slot is None or not is_free(slot) or is_request_alone(said):
        return 0.0
    if gives_name(slot, said):
        return RAISED_BY_NAME
    return 0.0 if said.is_question else RAISED_BY_FREE_TEXT


def asks_for_others(said: Utterance) -> bool:
    """ "Is there anything else on the 4th?": what the running flow has found is not what was wanted."""
    return said.top is not None and not said.lexicon.cues.others.isdisjoint(said.folded)


def is_request_alone(said: Utterance) -> bool:
    """ "I want to make a transfer": nothing in it could be text for another question."""
    request = read_request(said)
    return request is not None and not is_topic(request) and only_asks_for(said.program.senses[request.name], said)


def only_asks_for(sense: FlowSense, said: Utterance) -> bool:
    """ "I want to make a transfer" names the flow and nothing that could be its text."""
    opened = starts_with(said.folded, said.lexicon.acts.openers)
    return bool(opened) and not set(said.folded) - FUNCTION_WORDS - sense.vocabulary


def is_untold(wanted: Request, said: Utterance) -> bool:
    """ "No, the address should be …" names what could be asked about, and asks nothing."""
    return is_topic(wanted) and said.busy and not said.is_question and cued(said)


def is_top(wanted: Request, said: Utterance) -> bool:
    return said.top is not None and wanted.name == said.top.name


def outweighs(wanted: Request, said: Utterance) -> bool:
    return wanted.score >= said.program.thresholds.accept
