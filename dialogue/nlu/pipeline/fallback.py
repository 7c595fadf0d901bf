"""Fallback: take the whole message as the awaited free text, or as an answer whose refusal tells what is possible."""

from dialogue.engine.ports.commands import Command, SetSlot
from dialogue.nlu.readers.choosing.choices import read_choice_without_match
from dialogue.nlu.readers.free_text import free_text_for
from dialogue.nlu.readers.proposal import WHOLE_MESSAGE_CONFIDENCE, Proposal
from dialogue.nlu.readers.whole_answers import has_negation, read_invalid_answer
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, is_free_text
from dialogue.nlu.slots.bare_text import bare_text
from dialogue.nlu.slots.names import sole_place_name
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length

MAX_SHORT_ANSWER_WORDS = 3
# A longer answer may say more than a value: the language model is asked too, where there is one.
MAX_DECIDED_WORDS = 10


class FallbackComponent:
    """Last local component: takes the message as the awaited answer where it can be one."""

    name = "leftover"

    async def propose(self, utterance: Utterance) -> Proposal | None:
        without_match = read_choice_without_match(utterance)
        if without_match is not None:
            return without_match
        command = read_free_text(utterance) or read_invalid_answer(utterance) or read_unknown_option(utterance)
        return (
            Proposal((command,), WHOLE_MESSAGE_CONFIDENCE, decided=len(utterance.tokens) <= MAX_DECIDED_WORDS)
            if command
            else None
        )


def read_free_text(utterance: Utterance) -> Command | None:
    """The message as the value of the awaited free-text slot."""
    slot = utterance.awaited_slot
    if slot is None or not is_free_text(slot) or is_plain_question(utterance) or is_yes_or_no(utterance):
        return None
    text = free_text_for(slot, utterance)
    return SetSlot(slot.name, text, text) if text else None


def is_plain_question(utterance: Utterance) -> bool:
    """Whether the message is a question only: not a title, and not a request such as "can you look in Rome?"."""
    if not utterance.is_question or looks_like_title(utterance):
        return False
    return not prefix_length(utterance.folded, utterance.lexicon.acts.openers) or not sole_place_name(utterance)


def looks_like_title(utterance: Utterance) -> bool:
    content = [token for token in utterance.tokens if token.folded not in FUNCTION_WORDS]
    if not utterance.text.rstrip().endswith("?"):
        return len(utterance.tokens) <= MAX_SHORT_ANSWER_WORDS or (bool(content) and content[-1].text[:1].isupper())
    return len(content) > 1 and all(token.text[:1].isupper() for token in content)


def is_yes_or_no(utterance: Utterance) -> bool:
    acts = utterance.lexicon.acts
    # "Yes Please" in capitals is a title.
    is_name = len(utterance.tokens) > 1 and all(token.text[:1].isupper() for token in utterance.tokens)
    return not is_name and (utterance.folded in acts.no or utterance.folded in acts.yes)


def read_unknown_option(utterance: Utterance) -> Command | None:
    """A short answer that is not an option. The engine refuses it and names the options."""
    slot = utterance.awaited_slot
    content = set(utterance.folded) - FUNCTION_WORDS
    if slot is None or slot.type != "choice" or slot.options_from is not None:
        return None
    if not 0 < len(utterance.folded) <= MAX_SHORT_ANSWER_WORDS or not content:
        return None
    if utterance.is_question or has_negation(utterance.folded, utterance.lexicon):
        return None
    text = bare_text(utterance.text, utterance, lead=True)
    return SetSlot(slot.name, text, text)
