"""Values in a first message that tells of more than its request: what is not clearly said for a slot is asked for.

"I've paid until Saturday, I'm handing them in on Wednesday" has two days for one slot, and "a member for forty years" a
number that counts nothing that is asked for. A question costs 1, a value that is stored wrongly 10.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dialogue.engine.ports.commands import Command, SetSlot, SkipSlot, StartFlow
from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.free_text_check import is_title
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.readers.whole_answers import calendar_words, small_words
from dialogue.nlu.slots.assistant_index import FlowIndex, is_free_text
from dialogue.nlu.slots.extraction import is_shown_by_example
from dialogue.nlu.slots.extractors import find_dates_in, find_times_in, looks_back
from dialogue.nlu.slots.people_counts import counts_people
from dialogue.nlu.slots.slot_words import count_slot_words_beside
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.text_spans import is_unsure_text
from dialogue.nlu.slots.typed.options import find_options
from dialogue.nlu.slots.utterance import SENTENCE_END, Utterance
from dialogue.nlu.text.phrases import find_phrase
from dialogue.nlu.text.tokens import folded_words

CURRENCY_SIGN = re.compile("[€$£¥]")
DAY_TYPES, TIME_TYPES = frozenset({"date", "datetime"}), frozenset({"time"})


def without_unclear_values(proposal: Proposal | None, utterance: Utterance) -> Proposal | None:
    """Return the proposal of a first message without the values that are not clearly said for their slot."""
    if proposal is None or not utterance.is_first_message:
        return proposal
    return replace(proposal, commands=tuple(_clear_commands(proposal, utterance)))


def _clear_commands(proposal: Proposal, utterance: Utterance) -> Iterator[Command]:
    flows = [command.flow for command in proposal.commands if isinstance(command, StartFlow)]
    told = _Told(utterance, is_story=is_told(proposal, utterance), flows=tuple(flows))
    flow_index: FlowIndex | None = None
    for command in proposal.commands:
        if isinstance(command, StartFlow):
            flow_index = utterance.assistant_index.flows.get(command.flow)
        if isinstance(command, SkipSlot) and not find_phrase(utterance.folded, utterance.lexicon.acts.skip):
            continue  # "No paper, please" leaves out no question that was not asked yet
        if not isinstance(command, SetSlot) or flow_index is None or told.is_clear(command, flow_index):
            yield command


def is_told(proposal: Proposal, utterance: Utterance) -> bool:
    """Return whether the message tells what happened: no example is near, or it has several sentences."""
    return proposal.is_story or utterance.has_sentences


@dataclass(frozen=True)
class _Told:
    """The message, whether it tells a story, and the flows that it starts, each as often as it does."""

    utterance: Utterance
    is_story: bool
    flows: tuple[str, ...]

    def is_clear(self, command: SetSlot, flow_index: FlowIndex) -> bool:
        """Return whether the message says the value clearly for the slot of this flow."""
        slot, start = flow_index.slot(command.slot), self.utterance.text.find(command.words)
        if slot is None or not command.words or start < 0:
            return True
        span = Span(start, start + len(command.words), command.value)
        if slot.type in DAY_TYPES:
            days = {str(day.value) for day in find_dates_in(self.utterance)}
            is_over = self.is_story and not slot.not_future and self._is_over(command)
            is_said = looks_back(slot) and self._is_said_for(slot, span, flow_index)
            if self._is_range(flow_index):
                return True
            return (not is_over or is_said) and self._is_the_one(slot, span, flow_index, days, DAY_TYPES)
        if slot.type in TIME_TYPES:
            hours = (time for time in find_times_in(self.utterance) if not time.weak)
            times = {str(time.value) for time in hours if not counts_people(time, self.utterance)}
            return self._is_the_one(slot, span, flow_index, times, TIME_TYPES)
        if is_free_text(slot):
            is_unsure = self.is_story and is_unsure_text(slot, flow_index, self.utterance)
            return not is_unsure and not self._says_nothing(span)
        if slot.type == "choice" and slot.options_from is None:
            return self._is_chosen(slot, command, flow_index)
        return slot.type not in NUMBER_TYPES or not self.is_story or self._is_said_for(slot, span, flow_index)

    def _is_the_one(
        self, slot: Slot, span: Span, flow_index: FlowIndex, values: set[str], types: frozenset[str]
    ) -> bool:
        """ "My MOT runs out on Friday, any slots on Thursday?": of more values than slots, one is of something else.

        In a story, each of several values is said for its slot.
        """
        if len(values) < 2:
            return True
        flows = [flow for flow in map(self.utterance.assistant_index.flows.get, self.flows) if flow is not None]
        slots = [each for flow in flows for each in flow.slots]
        if len(values) > max(1, sum(each.type in types for each in slots)):
            return False
        return not self.is_story or self._is_said_for(slot, span, flow_index)

    def _is_range(self, flow_index: FlowIndex) -> bool:
        """ "From the 5th to the 8th", where the flow has a first and a last day."""
        days, cues = find_dates_in(self.utterance), self.utterance.lexicon.cues
        if len(days) != 2 or sum(slot.type == "date" for slot in flow_index.slots) != 2:
            return False
        between = self.utterance.text[days[0].end : days[1].start]
        leads = cues.goal_leads | cues.bound_words | cues.articles | cues.determiners
        return leads.issuperset(folded_words(between)) and str(days[0].value) < str(days[1].value)

    def _is_over(self, command: SetSlot) -> bool:
        """ "You turned me away yesterday": a day before today is a value where the slot tells of the past."""
        return str(command.value)[:10] < self.utterance.clock().today.isoformat()

    def _is_chosen(self, slot: Slot, command: SetSlot, flow_index: FlowIndex) -> bool:
        """ "I pay for Family and want to go down to Basic" names two options.

        "Everyone in my book group has read it" speaks of books as the flow does, and chooses none.
        """
        is_of_flow = flow_index.vocabulary.issuperset(folded_words(command.words))
        options = {str(option.value) for option in find_options(slot, self.utterance.tokens)}
        is_only_run = self.flows.count(flow_index.name) == 1
        return not (self.is_story and is_of_flow) and not (is_only_run and len(options) > 1)

    def _is_said_for(self, slot: Slot, span: Span, flow_index: FlowIndex) -> bool:
        """Return whether a word of the slot stands beside the value, or an example has the slot there."""
        words = self.utterance.text[max(0, span.start - 1) : span.end]
        currencies = self.utterance.lexicon.numerals.currencies
        is_amount = slot.type == "money" and bool(
            currencies.intersection(folded_words(words)) or CURRENCY_SIGN.search(words)
        )
        start, sentence = self._sentence_of(span)
        inside = Span(span.start - start, span.end - start, span.value)
        is_beside = count_slot_words_beside(slot, inside, self.utterance.with_text(sentence)) > 0
        return is_amount or is_beside or is_shown_by_example(slot, span, flow_index, self.utterance)

    def _sentence_of(self, span: Span) -> tuple[int, str]:
        """Return where the sentence with the value begins, and its text."""
        text = self.utterance.text
        start = max((end.end() for end in SENTENCE_END.finditer(text) if end.end() <= span.start), default=0)
        stop = min((end.start() for end in SENTENCE_END.finditer(text) if end.start() >= span.end), default=len(text))
        return start, text[start:stop]

    def _says_nothing(self, span: Span) -> bool:
        """ "This month", "you've", "the 8th": small words and days are no text, unless they are a title."""
        text = self.utterance.with_text(self.utterance.text[span.start : span.end])
        known = small_words(text.lexicon) | calendar_words(text.lexicon)
        days = [day for day in find_dates_in(self.utterance) if day.overlaps(span)]
        rest = [token for token in text.tokens if token.folded not in known]
        is_day = all(any(day.start <= span.start + token.start < day.end for day in days) for token in rest)
        return bool(is_day and days) or (not rest and not is_title(text))
