"""Decide when to fall back to the language model: some words of the message are unexplained.

A free text of several words in small letters does not count as an explanation of its own words.

Measured on the development half of the SGD dialogues: of the readings that left a name or a number unexplained, none of
74 was right; of those that left other words unexplained, about half were.
"""

from collections.abc import Iterator, Sequence

from dialogue.engine.ports.commands import Command, CorrectSlot, SetSlot, StartFlow
from dialogue.nlu.readers.command_filter import find_slot
from dialogue.nlu.readers.free_text_check import is_narrative, is_quoted, is_title
from dialogue.nlu.readers.proposal import SURE_CONFIDENCE, Proposal
from dialogue.nlu.readers.whole_answers import question_words, small_words
from dialogue.nlu.slots.assistant_index import FlowIndex, is_free_text
from dialogue.nlu.slots.extraction import slot_words
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import Token, folded_words, fuzzy_in

# A longer text may say more than a value.
MAX_PLAIN_WORDS = 3
# In a sure reading; names and numbers are never allowed to stay unexplained.
MAX_UNEXPLAINED_WORDS = 1


def is_doubtful(proposal: Proposal, utterance: Utterance) -> bool:
    """Whether the reading leaves a name or a number unexplained, or more other words than its confidence allows."""
    unexplained = _unexplained_tokens(proposal.commands, utterance)
    allowed = MAX_UNEXPLAINED_WORDS if proposal.confidence >= SURE_CONFIDENCE else 0
    return len(unexplained) > allowed or any(_is_name_or_number(token, utterance) for token in unexplained)


def _unexplained_tokens(commands: Sequence[Command], utterance: Utterance) -> list[Token]:
    """The tokens that are part of no value, no word of the current flow or its question, and no small word."""
    value_words = {
        word for command in commands if not _is_unconfirmed_text(command, utterance) for word in _command_words(command)
    }
    explained = value_words | small_words(utterance.lexicon)
    flow_words = set().union(*map(_flow_words, _current_flows(commands, utterance)))
    flow_words |= question_words(utterance.awaited_slot, utterance) if utterance.awaited_slot else frozenset()
    candidates = (token for token in utterance.tokens if token.folded not in explained)
    return [token for token in candidates if not fuzzy_in(token.folded, flow_words)]


def _command_words(command: Command) -> Iterator[str]:
    yield from folded_words(str(getattr(command, "words", "")))


def _is_unconfirmed_text(command: Command, utterance: Utterance) -> bool:
    """Whether the command sets a free-text slot to several words in small letters.

    A name in capitals, a few words, a quotation, and sentences where sentences are asked for are plain answers.
    """
    if not isinstance(command, SetSlot | CorrectSlot):
        return False
    slot = find_slot(command.slot, (command,), utterance)
    if slot is None or not is_free_text(slot) or is_narrative(slot, utterance):
        return False
    text = utterance.with_text(str(command.value))
    return len(text.tokens) > MAX_PLAIN_WORDS and not is_title(text) and not is_quoted(text.text, utterance)


def _current_flows(commands: Sequence[Command], utterance: Utterance) -> Iterator[FlowIndex]:
    started = [utterance.assistant_index.flows[command.flow] for command in commands if isinstance(command, StartFlow)]
    yield from started or ([utterance.running_flow] if utterance.running_flow else [])


def _flow_words(flow_index: FlowIndex) -> frozenset[str]:
    return flow_index.vocabulary.union(*map(slot_words, flow_index.slots))


def _is_name_or_number(token: Token, utterance: Utterance) -> bool:
    # The first word of a message is capitalised anyway.
    return token.text[:1].isdigit() or (token.text[:1].isupper() and token != utterance.tokens[0])
