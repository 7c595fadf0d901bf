"""Acts in other words than the rules know, by the trained classifier: "nah, forget about the whole thing".

The classifier does not know what was asked. Only acts that are possible in the context count, acts with the same
command together, and each command has the threshold that its costs ask for.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dialogue.engine.ports.commands import (
    Affirm,
    CancelFlow,
    Chitchat,
    Command,
    Deny,
    Digress,
    HandOff,
    Repeat,
    Restart,
    ResumeFlow,
    SkipItem,
    SkipSlot,
)
from dialogue.engine.ports.tasks import ConfirmTask
from dialogue.nlu.pipeline.rules import (
    awaits_slot,
    explain_awaited_slot,
    may_skip_slot,
    no_means_skip,
    skip_awaited_slot,
    skips_item_rather,
    waiting_answer,
)
from dialogue.nlu.readers.flow_commands import asks_for_visit
from dialogue.nlu.readers.free_text_check import VALUE_ODDS_OF_TEXT, gives_reason, is_narrative, is_quoted, is_title
from dialogue.nlu.readers.intents import classify_intent, is_running_flow
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.readers.whole_answers import small_words
from dialogue.nlu.readers.yes_no import has_condition
from dialogue.nlu.slots.assistant_index import is_free_text
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import fuzzy_in

# What an error costs; docs/understanding.md has the same numbers. A reply to what is a question or holds words of its
# own hides the answer that the documents may have.
WRONG_ACTION_COST, REFUSED_PERSON_COST, WRONG_REPLY_COST, HIDDEN_ANSWER_COST, QUESTION_COST = 10, 5, 4, 24, 1
# From which probability on a command costs less than the question that would be asked instead.
ACTION_THRESHOLD = WRONG_ACTION_COST / (WRONG_ACTION_COST + QUESTION_COST)
PERSON_THRESHOLD = WRONG_ACTION_COST / (WRONG_ACTION_COST + REFUSED_PERSON_COST)
REPLY_THRESHOLD = WRONG_REPLY_COST / (WRONG_REPLY_COST + QUESTION_COST)
QUESTION_THRESHOLD = HIDDEN_ANSWER_COST / (HIDDEN_ANSWER_COST + QUESTION_COST)
# A longer clause says more than an act.
MAX_ACT_TOKENS = 14

STRETCHED_LETTERS = re.compile(r"(\w)\1{2,}")

Meaning = Callable[[Utterance], Command | None]


@dataclass(frozen=True)
class LikelyAct:
    """A command and how likely the text means it, 0 to 1."""

    command: Command
    probability: float


def read_act_by_classifier(utterance: Utterance) -> Proposal | None:
    """Return the command of the likeliest act that is possible here, or None below its threshold."""
    likely = find_likely_act(utterance)
    if likely is None or likely.probability < threshold_of(likely.command, utterance):
        return None
    return Proposal((likely.command,), likely.probability)


def find_likely_act(utterance: Utterance) -> LikelyAct | None:
    """Return the likeliest command among those that acts of the text mean in the context; None where it is a value."""
    is_sign = not utterance.tokens and not any(unicodedata.category(sign) == "So" for sign in utterance.text)
    if len(utterance.tokens) > MAX_ACT_TOKENS or is_sign or _is_value_rather(utterance):
        return None
    probabilities = utterance.act_probabilities
    if not probabilities:
        return None
    by_command: dict[Command, float] = defaultdict(float)
    for act, meaning in MEANINGS.items():
        command = meaning(utterance)
        if command is not None:
            by_command[command] += probabilities.get(act, 0.0)
    # Acts that mean nothing here count as something else.
    other = probabilities.get("other", 0.0)
    command, share = max(by_command.items(), key=lambda pair: pair[1])
    return LikelyAct(command, share / (1 - other + other * _odds_of_text(utterance)))


def threshold_of(command: Command, utterance: Utterance) -> float:
    """Return from which probability on the command is taken."""
    if isinstance(command, HandOff):
        # The rules know the wishes with these words: "I'd need someone to come round" is another.
        is_mentioned = not utterance.lexicon.cues.person_words.isdisjoint(utterance.folded)
        is_word = len(utterance.tokens) == 1
        return ACTION_THRESHOLD if is_mentioned or is_word else PERSON_THRESHOLD
    slot = utterance.awaited_slot
    if isinstance(command, SkipSlot) and slot is not None and slot.required:
        # The reply is that the value is needed: it hides what a language model may read.
        return QUESTION_THRESHOLD
    if not isinstance(command, REPLIES):
        return ACTION_THRESHOLD
    return QUESTION_THRESHOLD if utterance.is_question or _has_words_of_its_own(utterance) else REPLY_THRESHOLD


def _has_words_of_its_own(utterance: Utterance) -> bool:
    """Return whether the text has a word that no phrase of an act has: it may be about the business."""
    known_words = utterance.lexicon.acts.words | small_words(utterance.lexicon)
    # "Holaaa" is a word of small talk with stretched letters.
    plain_words = {STRETCHED_LETTERS.sub(r"\1", word) for word in utterance.folded}
    return any(word not in known_words and not fuzzy_in(word, known_words) for word in plain_words)


def _is_value_rather(utterance: Utterance) -> bool:
    """Return whether the text is a title, a quotation or a request: "Cancel my Plans", "cancel my booking"."""
    slot = utterance.awaited_slot
    if slot is not None and is_free_text(slot) and (is_title(utterance) or is_quoted(_unquoted(utterance), utterance)):
        return True
    intent = classify_intent(utterance)
    # At a confirm "no need to block it" is about the running flow, and no request for it.
    is_same = intent is not None and slot is None and is_running_flow(intent, utterance)
    return intent is not None and intent.decided and not is_same


def _unquoted(utterance: Utterance) -> str:
    return utterance.text.strip(" .!\"'“”«»")


def _odds_of_text(utterance: Utterance) -> float:
    slot = utterance.awaited_slot
    return VALUE_ODDS_OF_TEXT if slot is not None and (is_free_text(slot) or is_narrative(slot, utterance)) else 1.0


def _affirm(utterance: Utterance) -> Command | None:
    return Affirm() if utterance.answers_yes_or_no and not has_condition(utterance) else None


def _deny(utterance: Utterance) -> Command | None:
    if utterance.answers_yes_or_no:
        return Deny()
    return skip_awaited_slot(utterance) if no_means_skip(utterance) else None


def _cancel(utterance: Utterance) -> Command | None:
    return CancelFlow() if utterance.has_open_flow and not gives_reason(utterance) else None


def _skip(utterance: Utterance) -> Command | None:
    if skips_item_rather(utterance):
        return SkipItem()
    return skip_awaited_slot(utterance) if may_skip_slot(utterance) else None


def _correct(utterance: Utterance) -> Command | None:
    """ "That is wrong": at a confirm a no, which asks what shall change; elsewhere the status shows what is noted."""
    if isinstance(utterance.context.awaited, ConfirmTask):
        return Deny()
    return Digress("status") if utterance.has_open_flow else None


def _resume(utterance: Utterance) -> Command | None:
    """The flow that was paused last; where none is, the open question again."""
    paused = [entry.flow for entry in utterance.open_entries if entry.status == "paused"]
    if paused:
        return ResumeFlow(paused[0])
    return Repeat() if utterance.has_open_flow else None


def _explain(utterance: Utterance) -> Command | None:
    return explain_awaited_slot(utterance) if awaits_slot(utterance) else None


# What each act of the classifier means here; None where it means nothing.
MEANINGS: Mapping[str, Meaning] = {
    "affirm": _affirm,
    "deny": _deny,
    "cancel": _cancel,
    "skip": _skip,
    "correct": _correct,
    "repeat": lambda utterance: Repeat(),
    "help": lambda utterance: Digress("help"),
    "person": lambda utterance: None if asks_for_visit(utterance) else HandOff(),
    "resume": _resume,
    "restart": lambda utterance: Restart(),
    "why": _explain,
    "status": lambda utterance: Digress("status"),
    "wait": waiting_answer,
    "thanks": lambda utterance: Chitchat(),
    "greeting": lambda utterance: Chitchat(),
    "farewell": lambda utterance: Chitchat(),
    "small_talk": lambda utterance: Chitchat(),
    "insult": lambda utterance: Chitchat(),
}
# Commands that change nothing; a restart asks first.
REPLIES = (Repeat, Digress, Chitchat, Restart)
