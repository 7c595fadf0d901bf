"""Yes and no with more words around them: to a confirm, to a yes/no question, to an offer."""

from collections.abc import Iterator

from dialogue.engine.language.steps import Confirm
from dialogue.engine.ports.commands import Affirm, Choose, Command, CorrectSlot, Deny
from dialogue.engine.ports.tasks import ConfirmTask
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.corrections import read_correction
from dialogue.nlu.readers.intents import classify_intent
from dialogue.nlu.readers.proposal import ANSWER_CONFIDENCE, CUED_CONFIDENCE, SENTENCE_CONFIDENCE, Proposal
from dialogue.nlu.readers.whole_answers import has_negation, question_words, small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import consists_of, find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import folded_words

CLAUSE_MARKS = frozenset({",", ".", ";", "!", "-", "–", ""})
# A longer message with "insurance" in it is rarely a plain wish for it.
MAX_WISH_TOKENS = 12


def read_choice(utterance: Utterance) -> Command | None:
    """ "Send it tomorrow, please": one of a confirm's further answers, by its label, value or synonym."""
    task, acts = utterance.context.awaited, utterance.lexicon.acts
    if not isinstance(task, ConfirmTask):
        return None
    labels = {choice.value: choice.label for choice in task.choices}
    around = (acts.fillers, acts.openers, acts.courtesies)
    flow = utterance.assistant_index.assistant.flows.get(task.flow)
    step = flow.step(task.step) if flow is not None and flow.has_step(task.step) else None
    for answer in step.further_answers if isinstance(step, Confirm) else ():
        texts = (answer.value.replace("_", " "), labels.get(answer.value, answer.value), *answer.synonyms)
        if consists_of(
            utterance.folded, frozenset(tuple(folded_words(text)) for text in texts if folded_words(text)), *around
        ):
            return Choose(answer.value)
    return None


def read_agreement(utterance: Utterance) -> Proposal | None:
    """ "Yes, block it": at a confirm, a yes whose rest speaks only of the running flow."""
    task, cues = utterance.context.awaited, utterance.lexicon.cues
    length = prefix_length(utterance.folded, utterance.lexicon.acts.yes)
    if (
        not isinstance(task, ConfirmTask)
        or not length
        or _ends_with_question_mark(utterance)
        or utterance.running_flow is None
    ):
        return None
    rest = utterance.folded[length:]
    known_words = utterance.running_flow.vocabulary | small_words(utterance.lexicon) | set(folded_words(task.message))
    changes = (
        has_condition(utterance)
        or prefix_length(rest, cues.corrections)
        or find_phrase(rest, cues.another)
        or has_negation(rest, utterance.lexicon)
    )
    return None if changes or set(rest) - known_words else Proposal((Affirm(),), CUED_CONFIDENCE)


def has_condition(utterance: Utterance) -> bool:
    """Return whether a yes stands under a condition: "yes, if it's free", and at a confirm "si es gratis, sí"."""
    if isinstance(utterance.context.awaited, ConfirmTask) and _begins_with_condition(utterance):
        return True
    for index, token in enumerate(utterance.tokens[1:], start=1):
        # "Sí" is a yes, "si" a condition.
        is_plain = token.text.casefold() == token.folded
        if is_plain and prefix_length(utterance.folded[index:], utterance.lexicon.cues.conditions):
            return not utterance.lexicon.acts.words.issuperset(utterance.folded[index:])
    return False


def _begins_with_condition(utterance: Utterance) -> bool:
    first = utterance.with_text(utterance.text.partition(",")[0])
    is_plain = bool(first.tokens) and first.tokens[0].text.casefold() == first.folded[0]
    is_condition = is_plain and prefix_length(first.folded, utterance.lexicon.cues.conditions) > 0
    return is_condition and not utterance.lexicon.acts.words.issuperset(first.folded)


def read_denial(utterance: Utterance) -> Proposal | None:
    """ "No, another day please": a no, where the flow has a path for it and the message gives no value."""
    length = prefix_length(utterance.folded, utterance.lexicon.acts.no)
    if length and _denies_action(utterance, length):
        return Proposal((Deny(),), ANSWER_CONFIDENCE)
    if not length or not _has_path_for_no(utterance) or not _ends_clause(utterance, length):
        return None
    rest = utterance.with_text(utterance.text[utterance.tokens[length - 1].end :])
    intent = classify_intent(rest) if rest.tokens else None
    elsewhere = intent is not None and intent.decided and intent.name not in utterance.context.offer
    return None if _names_correction(rest) or elsewhere else Proposal((Deny(),), ANSWER_CONFIDENCE)


def _denies_action(utterance: Utterance, length: int) -> bool:
    """Return whether the message is "no, don't block it" at a confirm: a no, and the action once more, denied."""
    task, flow_index = utterance.context.awaited, utterance.running_flow
    if not isinstance(task, ConfirmTask) or flow_index is None or utterance.text.rstrip().endswith("?"):
        return False
    rest, lexicon = utterance.folded[length:], utterance.lexicon
    is_denied = not lexicon.cues.denials.isdisjoint(rest) or has_negation(rest, lexicon)
    known_words = flow_index.vocabulary | small_words(lexicon) | lexicon.cues.denials | set(folded_words(task.message))
    return is_denied and known_words.issuperset(rest) and find_phrase(rest, lexicon.cues.another) is None


def _has_path_for_no(utterance: Utterance) -> bool:
    task = utterance.context.awaited
    if (
        isinstance(task, ConfirmTask)
        and utterance.running_flow is not None
        and utterance.running_flow.name == task.flow
    ):
        steps = (step for step in utterance.running_flow.flow.all_steps() if step.step == task.step)
        return any(isinstance(step, Confirm) and step.on_deny is not None for step in steps)
    return utterance.offer_kind == "restart" or (
        utterance.offer_kind == "clarify" and len(utterance.context.offer) == 1
    )


def read_yes_or_no(utterance: Utterance) -> Proposal | None:
    """ "Yes, I think it's a good idea": the first word answers, unless the rest changes a value."""
    slot, acts = utterance.awaited_slot, utterance.lexicon.acts
    if slot is None or slot.type != "boolean" or _ends_with_question_mark(utterance):
        return None
    no_length, yes_length = _no_length(slot, utterance), prefix_length(utterance.folded, acts.yes)
    if no_length and not _names_correction(utterance.with_text(utterance.text[utterance.tokens[no_length - 1].end :])):
        return Proposal((Deny(),), ANSWER_CONFIDENCE)
    if yes_length and not _takes_back_yes(utterance, yes_length) and not _names_correction(utterance):
        return Proposal((Affirm(),), ANSWER_CONFIDENCE)
    if _concludes_with_no(utterance):
        return Proposal((Deny(),), ANSWER_CONFIDENCE)
    short = _read_short_sentence(utterance)
    if short is not None and not _names_correction(utterance):
        return Proposal((short,), ANSWER_CONFIDENCE)
    return _read_wish_about(slot, utterance)


def _concludes_with_no(utterance: Utterance) -> bool:
    """ "I don't mind stairs so no"."""
    acts, cues = utterance.lexicon.acts, utterance.lexicon.cues
    length = suffix_length(utterance.folded, acts.no)
    before = utterance.folded[: len(utterance.folded) - length]
    return bool(length and before) and before[-1] in cues.concluding_words


def _takes_back_yes(utterance: Utterance, length: int) -> bool:
    """Return whether what stands behind a yes denies it: "yes, not really", but not "yes please, I'm no good at it"."""
    rest, cues = utterance.folded[length:], utterance.lexicon.cues
    if not has_negation(rest, utterance.lexicon):
        return False
    is_apart = _ends_clause(utterance, length) and not prefix_length(rest, cues.negations)
    return not is_apart or not cues.contrasts.isdisjoint(rest)


def _read_short_sentence(utterance: Utterance) -> Command | None:
    """ "I did", "we don't, sadly": a person and the verb of the question, and behind a mark what else there is."""
    cues = utterance.lexicon.cues
    for phrases, command in ((cues.short_denials, Deny()), (cues.short_agreements, Affirm())):
        length = prefix_length(utterance.folded, phrases)
        if length and _ends_clause(utterance, length):
            return command
    return None


def _no_length(slot: Slot, utterance: Utterance) -> int:
    """Return how many words of a no the message begins with; 0 where they only negate a sentence of its own.

    "Never done it before" and "no tengo coche" are neither yes nor no, as "no, thanks" and "no insurance" are.
    """
    acts, cues = utterance.lexicon.acts, utterance.lexicon.cues
    length = prefix_length(utterance.folded, acts.no)
    if not length:
        return 0
    # "No hace falta, …": a longer phrase that begins with a no.
    length = prefix_length(utterance.folded, acts.no, acts.skip)
    if _ends_clause(utterance, length):
        return length
    rest = utterance.folded[length:]
    is_led = rest[0] in cues.sentence_starters | cues.past_verbs or prefix_length(rest, acts.fillers) > 0
    begins_sentence = utterance.folded[length - 1] not in cues.denials and is_led
    known_words = question_words(slot, utterance) | small_words(utterance.lexicon)
    return length if begins_sentence or known_words.issuperset(rest) else 0


def _read_wish_about(slot: Slot, utterance: Utterance) -> Proposal | None:
    """ "I won't need any insurance", where insurance is the question: a wish or a refusal."""
    if (
        not set(utterance.folded) & (question_words(slot, utterance) - FUNCTION_WORDS)
        or len(utterance.folded) > MAX_WISH_TOKENS
    ):
        return None
    if has_negation(utterance.folded, utterance.lexicon) or not utterance.lexicon.cues.denials.isdisjoint(
        utterance.folded
    ):
        return Proposal((Deny(),), SENTENCE_CONFIDENCE)
    wished = prefix_length(utterance.folded, utterance.lexicon.acts.openers, utterance.lexicon.cues.requests)
    return Proposal((Affirm(),), SENTENCE_CONFIDENCE) if wished else None


def _names_correction(utterance: Utterance) -> bool:
    correction = read_correction(utterance)
    return correction is not None and correction.names_slot


def _ends_with_question_mark(utterance: Utterance) -> bool:
    return utterance.text.rstrip().endswith("?")


def _ends_clause(utterance: Utterance, length: int) -> bool:
    following = utterance.text[utterance.tokens[length - 1].end :].lstrip()
    return following[:1] in CLAUSE_MARKS


def read_wish(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """ "I do want insurance", without an open question: yield CorrectSlot for a yes/no slot that is named."""
    is_wished = (
        find_phrase(utterance.folded, utterance.lexicon.acts.openers) is not None
        and len(utterance.folded) <= MAX_WISH_TOKENS
    )
    refused = prefix_length(utterance.folded, utterance.lexicon.acts.no)
    for slot in flow_index.slots if is_wished else ():
        name_words = set(folded_words(slot.name.replace("_", " "))) - FUNCTION_WORDS - flow_index.vocabulary
        if slot.type == "boolean" and name_words & set(utterance.folded) and utterance.is_filled(flow_index, slot):
            is_denied = not utterance.lexicon.cues.denials.isdisjoint(utterance.folded[refused:])
            yield CorrectSlot(slot.name, not is_denied, utterance.text)
