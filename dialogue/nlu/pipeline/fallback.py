"""What nothing else fitted: the whole message as the awaited text, or as an answer whose refusal helps on."""

from dialogue.engine.ports.commands import Command, SetSlot
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.readers.whole_answers import negates, read_odd_answer
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, is_free
from dialogue.nlu.slots.extraction import bare_text
from dialogue.nlu.slots.free_text import text_for
from dialogue.nlu.slots.names import place_named
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import starts_with

SHORT_ANSWER = 3
# Longer answers may say more than a value; who knows better is asked, where there is one.
LONGEST_PLAIN = 10


class Leftover:
    """Takes the message as the answer when one is awaited and it can be one."""

    name = "leftover"

    async def consider(self, said: Utterance) -> Proposal | None:
        command = _text(said) or read_odd_answer(said) or _unknown_option(said)
        return Proposal((command,), 0.5, decided=len(said.tokens) <= LONGEST_PLAIN) if command else None


def _text(said: Utterance) -> Command | None:
    slot = said.awaited_slot
    if slot is None or not is_free(slot) or _only_asks(said) or _only_no(said):
        return None
    text = text_for(slot, said)
    return SetSlot(slot.name, text, text) if text else None


def _only_asks(said: Utterance) -> bool:
    """A question is no value, unless it is written like a title, or asks for something: "can you look in Rome?"."""
    if not said.is_question or _is_title(said):
        return False
    return not starts_with(said.folded, said.lexicon.acts.openers) or not place_named(said)


def _is_title(said: Utterance) -> bool:
    content = [token for token in said.tokens if token.folded not in FUNCTION_WORDS]
    if not said.text.rstrip().endswith("?"):
        return len(said.tokens) <= SHORT_ANSWER or (bool(content) and content[-1].text[:1].isupper())
    return len(content) > 1 and all(token.text[:1].isupper() for token in content)


def _only_no(said: Utterance) -> bool:
    acts = said.lexicon.acts
    return said.folded in acts.no or said.folded in acts.yes


def _unknown_option(said: Utterance) -> Command | None:
    """A short answer that is no option: its refusal names the options, which "not understood" would not."""
    slot = said.awaited_slot
    content = set(said.folded) - FUNCTION_WORDS
    if slot is None or slot.type != "choice" or not 0 < len(said.folded) <= SHORT_ANSWER or not content:
        return None
    if said.is_question or negates(said.folded, said.lexicon):
        return None
    text = bare_text(said.text, said, lead=True)
    return SetSlot(slot.name, text, text)
