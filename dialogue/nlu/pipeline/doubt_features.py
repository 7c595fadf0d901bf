"""Signs that a local reading is wrong, as numbers from 0 to 1: a score of them decides whether a model is asked."""

from collections.abc import Callable, Iterator, Mapping

from dialogue.engine.ports.commands import Affirm, CorrectSlot, Deny, Digress, SetSlot, StartFlow
from dialogue.engine.slots.models import Slot
from dialogue.nlu.pipeline.acts import find_likely_act
from dialogue.nlu.readers.clauses.explained_words import unexplained_tokens
from dialogue.nlu.readers.clauses.splitting import split_clauses
from dialogue.nlu.readers.command_filter import find_slot
from dialogue.nlu.readers.intents import is_flow, rank_intents
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.readers.whole_answers import small_words
from dialogue.nlu.slots.assistant_index import FlowIndex, is_free_text
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.typed.options import option_texts
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import Token, folded_words

MAX_COUNTED = 4
MAX_COUNTED_WORDS = 20


def doubt_features(proposal: Proposal, utterance: Utterance) -> dict[str, float]:
    """Return each sign by its name; 0 is its absence."""
    return {name: float(feature(proposal, utterance)) for name, feature in FEATURES.items()}


def unexplained_words(proposal: Proposal, utterance: Utterance) -> float:
    """Words that belong to no value and to nothing that the reading is about."""
    return _share(len(_unexplained(proposal, utterance)), MAX_COUNTED)


def unexplained_name(proposal: Proposal, utterance: Utterance) -> bool:
    """A name or a number among the unexplained words."""
    return any(is_name_or_number(token, utterance) for token in _unexplained(proposal, utterance))


def capital_outside_values(proposal: Proposal, utterance: Utterance) -> bool:
    """A word in capitals inside a sentence that belongs to no value: "OR" behind Portland."""
    known_words = {word for slot in _set_slots(proposal, utterance) for word in slot_words(slot)}
    tokens = [token for token in _tokens_outside_values(proposal, utterance) if token.folded not in known_words]
    return any(token.text[:1].isupper() and not _may_be_capital(token, utterance) for token in tokens)


def _may_be_capital(token: Token, utterance: Utterance) -> bool:
    """Whether any word would have the capital: at the start of a sentence; and "I", "I'll"."""
    before = utterance.text[: token.start].rstrip(" \"'“”")
    return not before or before[-1] in ".!?:…¿¡" or token.folded == "i" or token.folded.startswith("i'")


def low_confidence(proposal: Proposal, utterance: Utterance) -> float:
    """How unsure the reader is."""
    return 1.0 - min(max(proposal.confidence, 0.0), 1.0)


def slot_named_without_value(proposal: Proposal, utterance: Utterance) -> float:
    """Words of slots that the reading leaves alone: "smoke" where nothing is set for smoking."""
    known_words = small_words(utterance.lexicon).union(
        *(flow_index.vocabulary for flow_index in _flows(proposal, utterance))
    )
    known_words |= {word for slot in _set_slots(proposal, utterance) for word in slot_words(slot)}
    other_words = frozenset[str]().union(*(slot_words(slot) for slot in _slots_left_alone(proposal, utterance)))
    tokens = _tokens_outside_values(proposal, utterance)
    named = [token for token in tokens if token.folded in other_words and token.folded not in known_words]
    return _share(len(named), 2)


def option_named_without_value(proposal: Proposal, utterance: Utterance) -> float:
    """Words of yes/no slots and of closed options that the reading leaves alone, also those of the flow's examples."""
    flows = _flows(proposal, utterance)
    general_words = small_words(utterance.lexicon).union(*(_words_about(flow_index) for flow_index in flows))
    general_words |= {word for slot in _set_slots(proposal, utterance) for word in slot_words(slot)}
    closed_words = {
        word for slot in _slots_left_alone(proposal, utterance) for word in _closed_words(slot) if len(word) > 2
    }
    tokens = _tokens_outside_values(proposal, utterance)
    return _share(len({token.folded for token in tokens} & (closed_words - general_words)), 2)


def asked_and_not_answered(proposal: Proposal, utterance: Utterance) -> float:
    """Slots that the bot's last message speaks of and the reading does not set, beside one that it does set."""
    if not utterance.context.last_messages or not utterance.awaits_value:
        return 0.0
    awaited = utterance.awaited_slot
    asked_words = set(folded_words(utterance.context.last_messages[-1][1])) - small_words(utterance.lexicon)
    asked_words -= slot_words(awaited) if awaited else frozenset()
    slots = [slot for slot in _slots_left_alone(proposal, utterance) if not asked_words.isdisjoint(slot_words(slot))]
    return _share(len(slots), 2)


def _starts_flow(proposal: Proposal) -> bool:
    return any(isinstance(command, StartFlow) for command in proposal.commands)


def starts_flow_beside_another(proposal: Proposal, utterance: Utterance) -> bool:
    """A request while another flow runs and asks for something."""
    return utterance.context.awaited is not None and _starts_flow(proposal)


def second_flow_as_likely(proposal: Proposal, utterance: Utterance) -> float:
    """How near the likeliest of the other flows is to the one that starts."""
    started = {command.flow for command in proposal.commands if isinstance(command, StartFlow)}
    scores = [(match.label.split()[1] in started, match.score) for match in rank_intents(utterance) if is_flow(match)]
    best = max((score for is_started, score in scores if is_started), default=0.0)
    other = max((score for is_started, score in scores if not is_started), default=0.0)
    return min(other / best, 1.0) if best > 0 else 0.0


def text_in_small_letters(proposal: Proposal, utterance: Utterance) -> bool:
    """A free text that was not asked for and does not look like a name: "the moment" for a city."""
    return any(text[:1].islower() for slot, text in _texts(proposal, utterance) if not _is_awaited(slot, utterance))


def asked_text_in_sentence(proposal: Proposal, utterance: Utterance) -> bool:
    """The awaited free text, cut out of a longer message."""
    is_cut = [text.strip() != utterance.text.strip(" .!?") for slot, text in _texts(proposal, utterance)
              if _is_awaited(slot, utterance)]  # fmt: skip
    return any(is_cut)


def changes_text(proposal: Proposal, utterance: Utterance) -> bool:
    """A correction of a free text: its new value may be any word."""
    texts = {slot.name for slot, _ in _texts(proposal, utterance)}
    return any(isinstance(command, CorrectSlot) and command.slot in texts for command in proposal.commands)


def yes_or_no_with_more(proposal: Proposal, utterance: Utterance) -> float:
    """How much stands beside a yes or a no that is the whole reading."""
    is_only = len(proposal.commands) == 1 and isinstance(proposal.commands[0], Affirm | Deny)
    return _share(len(utterance.tokens) - 2, 2 * MAX_COUNTED) if is_only else 0.0


def other_act_likely(proposal: Proposal, utterance: Utterance) -> float:
    """How likely the classifier of acts finds a command that the reading does not have."""
    likely = find_likely_act(utterance)
    return likely.probability if likely is not None and likely.command not in proposal.commands else 0.0


def is_digression(proposal: Proposal, utterance: Utterance) -> bool:
    """A question, or help."""
    return any(isinstance(command, Digress) for command in proposal.commands)


def further_clauses(proposal: Proposal, utterance: Utterance) -> float:
    """The clauses behind the first."""
    return _share(len(split_clauses(utterance)) - 1, MAX_COUNTED)


def words_outside_values(proposal: Proposal, utterance: Utterance) -> float:
    """How many words belong to no value."""
    return _share(len(_tokens_outside_values(proposal, utterance)), MAX_COUNTED_WORDS)


def is_name_or_number(token: Token, utterance: Utterance) -> bool:
    """Return whether the word begins with a digit, or with a capital inside the message."""
    # The first word of a message is capitalised anyway.
    return token.text[:1].isdigit() or (token.text[:1].isupper() and token != utterance.tokens[0])


FEATURES: Mapping[str, Callable[[Proposal, Utterance], float]] = {
    feature.__name__: feature
    for feature in (
        unexplained_words,
        unexplained_name,
        capital_outside_values,
        low_confidence,
        slot_named_without_value,
        option_named_without_value,
        asked_and_not_answered,
        starts_flow_beside_another,
        second_flow_as_likely,
        text_in_small_letters,
        asked_text_in_sentence,
        changes_text,
        yes_or_no_with_more,
        other_act_likely,
        is_digression,
        further_clauses,
        words_outside_values,
    )
}


def _share(count: int, highest: int) -> float:
    return min(max(count, 0), highest) / highest


def _unexplained(proposal: Proposal, utterance: Utterance) -> list[Token]:
    return unexplained_tokens(proposal.commands, utterance)


def _tokens_outside_values(proposal: Proposal, utterance: Utterance) -> list[Token]:
    value_words = {word for command in proposal.commands for word in folded_words(str(getattr(command, "words", "")))}
    return [token for token in utterance.tokens if token.folded not in value_words]


def _flows(proposal: Proposal, utterance: Utterance) -> list[FlowIndex]:
    flows = utterance.assistant_index.flows
    started = [flows[command.flow] for command in proposal.commands if isinstance(command, StartFlow)]
    return started or ([utterance.running_flow] if utterance.running_flow else [])


def _set_slots(proposal: Proposal, utterance: Utterance) -> Iterator[Slot]:
    for command in proposal.commands:
        slot = find_slot(name, proposal.commands, utterance) if (name := getattr(command, "slot", "")) else None
        if slot is not None:
            yield slot
    if utterance.awaited_slot is not None:
        yield utterance.awaited_slot


def _slots_left_alone(proposal: Proposal, utterance: Utterance) -> list[Slot]:
    names = {slot.name for slot in _set_slots(proposal, utterance)}
    return [slot for flow in _flows(proposal, utterance) for slot in flow.slots if slot.name not in names]


def _words_about(flow_index: FlowIndex) -> frozenset[str]:
    flow = flow_index.flow
    return frozenset(folded_words(f"{flow.flow.replace('_', ' ')} {flow.title} {flow.description}"))


def _closed_words(slot: Slot) -> frozenset[str]:
    if slot.type != "boolean" and not slot.options:
        return frozenset()
    return slot_words(slot).union(*(folded_words(text) for option in slot.options for text in option_texts(option)))


def _texts(proposal: Proposal, utterance: Utterance) -> Iterator[tuple[Slot, str]]:
    for command in proposal.commands:
        if isinstance(command, SetSlot | CorrectSlot) and isinstance(command.value, str):
            slot = find_slot(command.slot, proposal.commands, utterance, in_waiting_flows=True)
            if slot is not None and is_free_text(slot):
                yield slot, command.value


def _is_awaited(slot: Slot, utterance: Utterance) -> bool:
    return utterance.awaited_slot is not None and utterance.awaited_slot.name == slot.name
