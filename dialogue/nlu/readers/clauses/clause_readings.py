"""A clause and what it means, and how a clause is read."""

from collections.abc import Callable
from dataclasses import dataclass

from dialogue.engine.ports.commands import (
    AddValues,
    Chitchat,
    ClearSlot,
    Command,
    CorrectSlot,
    Digress,
    Narrow,
    RemoveValues,
    Repeat,
    SetSlot,
)
from dialogue.nlu.readers.clauses.explained_words import unexplained_tokens
from dialogue.nlu.readers.clauses.splitting import Clause
from dialogue.nlu.readers.free_text_check import is_title
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import consists_of, prefix_length

VALUES = (SetSlot, CorrectSlot, AddValues, RemoveValues, Narrow, ClearSlot)
# What is said beside something else, and answers only where nothing else is said.
SMALL_TALK = (Chitchat, Repeat)

ReadText = Callable[[Utterance], Proposal | None]


@dataclass(frozen=True)
class ClauseReaders:
    """How a clause is read: `exactly`, as one act or one value; `fully`; `as_text`, as the awaited free text."""

    exactly: ReadText
    fully: ReadText
    as_text: ReadText


@dataclass(frozen=True)
class ClauseReading:
    """A clause and what it means. `is_exact`: all of it is one act or one value."""

    clause: Clause
    proposal: Proposal | None
    is_exact: bool = False

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands of the clause; none where it was not understood."""
        return self.proposal.commands if self.proposal is not None else ()

    @property
    def is_question(self) -> bool:
        """Whether the clause asks, and is no polite wish and no title."""
        utterance = self.clause.utterance
        is_wish = prefix_length(utterance.folded, utterance.lexicon.acts.openers) or is_title(utterance)
        is_small = bool(self.commands) and all(isinstance(command, SMALL_TALK) for command in self.commands)
        return utterance.is_question and not is_wish and not is_small

    def unexplained(self) -> int:
        """Return how many words of the clause its commands do not explain."""
        is_answered = self.is_question and self.proposal is not None and self.proposal.decided
        is_topic = is_answered and all(isinstance(each, Digress) and each.topic for each in self.commands)
        return 0 if self.is_exact or is_topic else len(unexplained_tokens(self.commands, self.clause.utterance))


def read_fully(readers: ClauseReaders, utterance: Utterance) -> Proposal | None:
    """Return what the text means, read in every way; `utterance.remember` keeps it."""
    return readers.fully(utterance)


def takes_back(clause: Clause) -> bool:
    """ "Two, no, three": a clause that only says that the value before it was wrong."""
    acts, cues = clause.utterance.lexicon.acts, clause.utterance.lexicon.cues
    return consists_of(
        clause.folded, cues.corrections | cues.second_thoughts | acts.no | acts.hesitations, acts.fillers
    )


def is_negated(clause: Clause) -> bool:
    """ "Hillcrest, not Riverside": the negation is about the value before it."""
    length = prefix_length(clause.folded, clause.utterance.lexicon.cues.negations)
    if not 0 < length < len(clause.folded):
        return False
    tokens = clause.utterance.tokens
    return "," not in clause.utterance.text[tokens[length - 1].end : tokens[length].start]
