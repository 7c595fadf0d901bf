"""Yes and no with more words around them: to a confirm, to a yes/no question, to an offer."""

from collections.abc import Iterator, Sequence

from dialogue.engine.language.steps import Answer, Confirm
from dialogue.engine.ports.commands import Affirm, Choose, Command, CorrectSlot, Deny
from dialogue.engine.ports.tasks import ConfirmTask
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.corrections import read_correction
from dialogue.nlu.readers.intents import read_request
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.readers.whole_answers import negates, question_words, small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowSense
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import consists_of, find_phrase, starts_with
from dialogue.nlu.text.tokens import words

CLAUSE_MARKS = frozenset({",", ".", ";", "!", "-", "–", ""})
LONGEST_WISH = 12


def read_choice(said: Utterance) -> Command | None:
    """ "Send it tomorrow, please": a further answer of a confirm, by its label, its value or another word for it."""
    task, acts = said.context.awaited, said.lexicon.acts
    if not isinstance(task, ConfirmTask):
        return None
    labels = {choice.value: choice.label for choice in task.choices}
    around = (acts.fillers, acts.openers, acts.courtesies)
    for answer in _further_answers(said, task):
        texts = (answer.value.replace("_", " "), labels.get(answer.value, answer.value), *answer.synonyms)
        if consists_of(said.folded, frozenset(tuple(words(text)) for text in texts if words(text)), *around):
            return Choose(answer.value)
    return None


def _further_answers(said: Utterance, task: ConfirmTask) -> Sequence[Answer]:
    flow = said.program.assistant.flows.get(task.flow)
    step = flow.step(task.step) if flow is not None and flow.has_step(task.step) else None
    return step.further if isinstance(step, Confirm) else ()


def read_agreed(said: Utterance) -> Proposal | None:
    """ "Yes, block it": at a confirm, a yes whose rest speaks of nothing but the flow at hand."""
    task, cues = said.context.awaited, said.lexicon.cues
    length = starts_with(said.folded, said.lexicon.acts.yes)
    if not isinstance(task, ConfirmTask) or not length or _is_asking(said) or said.top is None:
        return None
    rest = said.folded[length:]
    own = said.top.vocabulary | small_words(said.lexicon) | set(words(task.message))
    changes = starts_with(rest, cues.corrections) or find_phrase(rest, cues.another) or negates(rest, said.lexicon)
    return None if changes or set(rest) - own else Proposal((Affirm(),), 0.85)


def read_denied(said: Utterance) -> Proposal | None:
    """ "No, another day please": where a no has a way of its own, it takes it, unless it brings a value."""
    length = starts_with(said.folded, said.lexicon.acts.no)
    if not length or not _no_has_a_way(said) or not _ends_clause(said, length):
        return None
    rest = said.part(said.text[said.tokens[length - 1].end :])
    wanted = read_request(rest) if rest.tokens else None
    elsewhere = wanted is not None and wanted.decided and wanted.name not in said.context.offer
    return None if _corrects(rest) or elsewhere else Proposal((Deny(),), 0.8)


def _no_has_a_way(said: Utterance) -> bool:
    task = said.context.awaited
    if isinstance(task, ConfirmTask) and said.top is not None and said.top.name == task.flow:
        steps = (step for step in said.top.flow.all_steps() if step.step == task.step)
        return any(isinstance(step, Confirm) and step.on_deny is not None for step in steps)
    return said.offer == "restart" or (said.offer == "clarify" and len(said.context.offer) == 1)


def read_yes_or_no(said: Utterance) -> Proposal | None:
    """ "Yes, I think it's a good idea": the first word answers, unless the rest changes a value."""
    slot, acts = said.awaited_slot, said.lexicon.acts
    if slot is None or slot.type != "boolean" or _is_asking(said):
        return None
    refused, agreed = starts_with(said.folded, acts.no), starts_with(said.folded, acts.yes)
    if refused and not _corrects(said.part(said.text[said.tokens[refused - 1].end :])):
        return Proposal((Deny(),), 0.8)
    if agreed and not negates(said.folded[agreed:], said.lexicon) and not _corrects(said):
        return Proposal((Affirm(),), 0.8)
    return _about_it(slot, said)


def _about_it(slot: Slot, said: Utterance) -> Proposal | None:
    """ "I won't need any insurance", where insurance is the question: a wish or its contrary."""
    if not set(said.folded) & (question_words(slot, said) - FUNCTION_WORDS) or len(said.folded) > LONGEST_WISH:
        return None
    if negates(said.folded, said.lexicon) or not said.lexicon.cues.denials.isdisjoint(said.folded):
        return Proposal((Deny(),), 0.7)
    wished = starts_with(said.folded, said.lexicon.acts.openers, said.lexicon.cues.requests)
    return Proposal((Affirm(),), 0.7) if wished else None


def _corrects(said: Utterance) -> bool:
    correction = read_correction(said)
    return correction is not None and correction.named


def _is_asking(said: Utterance) -> bool:
    return said.text.rstrip().endswith("?")


def _ends_clause(said: Utterance, length: int) -> bool:
    following = said.text[said.tokens[length - 1].end :].lstrip()
    return following[:1] in CLAUSE_MARKS


def read_wish(sense: FlowSense, said: Utterance) -> Iterator[Command]:
    """ "I do want insurance", while nothing is asked: a yes/no slot that is named, and wished for or turned down."""
    wished = find_phrase(said.folded, said.lexicon.acts.openers) is not None and len(said.folded) <= LONGEST_WISH
    refused = starts_with(said.folded, said.lexicon.acts.no)
    for slot in sense.asked if wished else ():
        own = set(words(slot.name.replace("_", " "))) - FUNCTION_WORDS - sense.vocabulary
        if slot.type == "boolean" and own & set(said.folded) and said.is_filled(sense, slot):
            denied = not said.lexicon.cues.denials.isdisjoint(said.folded[refused:])
            yield CorrectSlot(slot.name, not denied, said.text)
