"""Which words of a message its reading explains: values, words of flows, slots, topics and questions, small words."""

from collections.abc import Iterator, Sequence

from dialogue.engine.ports.commands import CancelFlow, Command, CorrectSlot, Digress, ResumeFlow, SetSlot, StartFlow
from dialogue.nlu.readers.command_filter import find_slot
from dialogue.nlu.readers.free_text_check import is_narrative, is_quoted, is_title
from dialogue.nlu.readers.whole_answers import question_words, small_words
from dialogue.nlu.slots.assistant_index import FlowIndex, is_free_text
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import Token, folded_words, fuzzy_in

# A longer text may say more than a value.
MAX_PLAIN_WORDS = 3


def unexplained_tokens(commands: Sequence[Command], utterance: Utterance) -> list[Token]:
    """Return the tokens that are part of no value, no word of a flow, topic or question it is about, and no small word.

    A free text of several words in small letters does not count as an explanation of its own words.
    """
    value_words = {
        word for command in commands if not _is_unconfirmed_text(command, utterance) for word in _command_words(command)
    }
    explained = value_words | small_words(utterance.lexicon)
    flow_words = set().union(*map(_flow_words, _current_flows(commands, utterance)))
    flow_words |= question_words(utterance.awaited_slot, utterance) if utterance.awaited_slot else frozenset()
    flow_words |= {word for command in commands for word in _topic_words(command, utterance)}
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
    flows = utterance.assistant_index.flows
    started = [flows[command.flow] for command in commands if isinstance(command, StartFlow)]
    yield from started or ([utterance.running_flow] if utterance.running_flow else [])


def _flow_words(flow_index: FlowIndex) -> frozenset[str]:
    return flow_index.vocabulary.union(*map(slot_words, flow_index.slots))


def _topic_words(command: Command, utterance: Utterance) -> Iterator[str]:
    """Yield the words of the author's questions for a topic, and of a flow that is ended or resumed."""
    if isinstance(command, CancelFlow):
        yield from (word for phrase in utterance.lexicon.cues.cancels for word in phrase)
    if isinstance(command, CancelFlow | ResumeFlow) and command.flow in utterance.assistant_index.flows:
        yield from utterance.assistant_index.flows[command.flow].vocabulary
    knowledge = utterance.assistant_index.assistant.knowledge
    if isinstance(command, Digress) and command.kind == "question" and command.topic in knowledge:
        for question in knowledge[command.topic].questions:
            yield from folded_words(str(question))
