"""One message in its context, with what several readers ask about it, computed once."""

import re
import unicodedata
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from dialogue.engine.ports.commands import Command
from dialogue.engine.ports.tasks import (
    CollectTask,
    ConfirmTask,
    HandoffTask,
    HumanTask,
    InformTask,
    OfferTask,
    WaitTask,
)
from dialogue.engine.slots.models import Slot
from dialogue.engine.understanding import WAITS_FOR_NEED, NLUContext, StackEntry
from dialogue.nlu.heads.act_classifier import classify_act
from dialogue.nlu.slots.assistant_index import AssistantIndex, FlowIndex, needed_flows, words_about
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.typed.dates_and_times import Clock
from dialogue.nlu.text.lexicons import lexicon_of
from dialogue.nlu.text.lexicons.lexicon import Lexicon
from dialogue.nlu.text.phrases import consists_of
from dialogue.nlu.text.similarity import SimilarityIndex, Thresholds
from dialogue.nlu.text.tokens import Token, folded_words, tokenize

FIELD_MARKERS = re.compile(r"\[\[ ## .*? ## \]\]")
SENTENCE_END = re.compile(r"[.;!?\n]+(?:\s+|$)")
Result = TypeVar("Result")
OPEN_STATUSES = frozenset({"active", "paused", "parked", "calling"})


@dataclass(frozen=True)
class Utterance:
    """`text` is the message, or one of several requests in it, in Unicode normal form C.

    `unsure_reading` is what the local readers propose where a language model is asked; it is shown to the model.
    """

    text: str
    context: NLUContext
    assistant_index: AssistantIndex
    unsure_reading: tuple[Command, ...] = ()

    def remember(self, work: Callable[..., Result], *about: Hashable) -> Result:
        """Return `work(*about, utterance)`, computed once a message: several readers ask for the same."""
        if (work, *about) not in self._results:
            self._results[work, *about] = work(*about, self)
        worked: Result = self._results[work, *about]
        return worked

    @cached_property
    def _results(self) -> dict[tuple[Any, ...], Any]:
        return {}

    def with_text(self, text: str) -> "Utterance":
        """Return the same situation with another text, such as a part of the message."""
        return self if text == self.text else replace(self, text=text)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The words with their positions."""
        return tokenize(self.text)

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The words as they are compared."""
        return tuple(token.folded for token in self.tokens)

    def tokens_outside(self, spans: Collection[Span]) -> list[Token]:
        """Return the words that belong to none of these values."""
        return [token for token in self.tokens if not any(span.start <= token.start < span.end for span in spans)]

    @cached_property
    def lexicon(self) -> Lexicon:
        """The lexicon of the conversation's language."""
        return lexicon_of(self.context.language)

    @cached_property
    def similarity_index(self) -> tuple[SimilarityIndex, Thresholds]:
        """The index that compares messages in this language with the author's texts, and its thresholds."""
        return self.assistant_index.index_for(self.context.language)

    @cached_property
    def opening_index(self) -> SimilarityIndex:
        """The index that a first message is compared with; a Spanish one in English words, see `glosses.py`."""
        return self.assistant_index.opening_index(self.context.language)

    def clock(self, *, looks_back: bool = False) -> Clock:
        """Return the conversation's day; with `looks_back`, for slots without a future."""
        context = self.context
        today = context.now.astimezone(ZoneInfo(context.timezone)).date()
        return Clock(today, looks_back=looks_back, month_first=_month_first(context))

    @property
    def awaited_slot(self) -> Slot | None:
        """The slot that is asked for; None where staff or a confirm is waited for."""
        return self.context.awaited_slot if isinstance(self.context.awaited, CollectTask) else None

    @property
    def offer_kind(self) -> str:
        """What is offered: "clarify", "resume", "change", "restart" or ""."""
        return self.context.awaited.offer if isinstance(self.context.awaited, OfferTask) else ""

    @property
    def awaits_value(self) -> bool:
        """Return whether the question is one for a value."""
        return isinstance(self.context.awaited, CollectTask)

    @property
    def awaits_staff(self) -> bool:
        """Return whether the conversation waits for staff, a time or an event, and asks the user for nothing."""
        return isinstance(self.context.awaited, HumanTask | HandoffTask | WaitTask)

    @property
    def answers_yes_or_no(self) -> bool:
        """Return whether yes and no answer the question: a confirm, an offer, a yes/no slot."""
        slot = self.awaited_slot
        return isinstance(self.context.awaited, ConfirmTask | InformTask | OfferTask) or (
            slot is not None and slot.type == "boolean"
        )

    @cached_property
    def open_entries(self) -> tuple[StackEntry, ...]:
        """The stack entries of started flows, the top one first."""
        return tuple(entry for entry in reversed(self.context.stack) if entry.status in OPEN_STATUSES)

    @property
    def has_open_flow(self) -> bool:
        """Return whether any flow was started and is not done."""
        return bool(self.open_entries)

    @cached_property
    def running_flow(self) -> FlowIndex | None:
        """The flow on top of the stack, or None."""
        return self.assistant_index.flows.get(self.open_entries[0].flow) if self.open_entries else None

    def open_flows(self) -> Iterator[FlowIndex]:
        """Yield the flows that may hold a slot of this message, the top one first."""
        flow_indexes = (self.assistant_index.flows.get(entry.flow) for entry in self.open_entries)
        return (flow_index for flow_index in flow_indexes if flow_index is not None)

    def startable_flows(self) -> frozenset[str]:
        """Return the keys of the flows that users may start."""
        return frozenset(flow.flow for flow in self.context.flows)

    def is_filled(self, flow_index: FlowIndex, slot: Slot) -> bool:
        """Return whether the flow's slot has a value."""
        return self.filled_text(flow_index, slot) is not None

    def waiting_flows(self) -> Iterator[FlowIndex]:
        """Yield the flows that wait for a needed flow, the uppermost first: only corrections may be meant for them."""
        entries = (entry for entry in reversed(self.context.stack) if entry.status == WAITS_FOR_NEED)
        flow_indexes = (self.assistant_index.flows.get(entry.flow) for entry in entries)
        return (flow_index for flow_index in flow_indexes if flow_index is not None)

    def met_needs(self) -> Iterator[FlowIndex]:
        """Yield the flows that have filled a need of an open flow, with the slots that can still be corrected."""
        open_names = {entry.flow for entry in self.context.stack}
        assistant_slots = self.assistant_index.assistant.slots
        for name in dict.fromkeys(need for flow in open_names for need in needed_flows(flow, self.assistant_index)):
            flow_index = self.assistant_index.flows.get(name)
            if flow_index is not None and name not in open_names:
                slots = (slot for slot in flow_index.slots if slot.name in assistant_slots)
                yield FlowIndex(flow_index.flow, tuple(slots))

    def filled_text(self, flow_index: FlowIndex, slot: Slot) -> str | None:
        """Return the slot's value as it is shown to the user, or None."""
        filled = self.context.filled
        return filled.get(f"{flow_index.name}.{slot.name}", filled.get(slot.name))

    @cached_property
    def act_probabilities(self) -> Mapping[str, float]:
        """The probability of each act of the trained classifier; {} for languages and texts that it does not read.

        A first message is read by meaning too; answers are short, and read better by their words alone.
        """
        by_meaning = self.assistant_index.has_sentence_model and self.is_first_message
        return classify_act(self.text, self.context.language, with_vector=by_meaning) or {}

    @property
    def is_first_message(self) -> bool:
        """Return whether nothing runs and nothing is asked."""
        return self.context.awaited is None and not self.has_open_flow

    @cached_property
    def has_sentences(self) -> bool:
        """Return whether the message has several sentences, greetings aside: it tells of more than one thing."""
        acts = self.lexicon.acts
        sentences = filter(None, map(folded_words, SENTENCE_END.split(self.text)))
        return sum(not consists_of(words, acts.chitchat, acts.fillers, acts.courtesies) for words in sentences) > 1

    @cached_property
    def is_question(self) -> bool:
        """Return whether the message asks: by its mark, or by its first word. "Porque" also begins a reason."""
        first, cues = self.folded[:1], self.lexicon.cues
        is_reason = self.asks_for_reason and not cues.reason_starters.isdisjoint(first)
        begins = not is_reason and not cues.question_words.isdisjoint(first)
        return self.text.rstrip().endswith("?") or begins

    @property
    def asks_for_reason(self) -> bool:
        """Return whether the awaited slot holds a reason."""
        slot = self.awaited_slot
        return slot is not None and not self.lexicon.cues.asked_reasons.isdisjoint(words_about(slot))


def read_utterance(message: str, context: NLUContext, assistant_index: AssistantIndex) -> Utterance:
    """Return the message in normal form C, without the markers that separate fields in prompts."""
    return Utterance(FIELD_MARKERS.sub(" ", unicodedata.normalize("NFC", message)).strip(), context, assistant_index)


def _month_first(context: NLUContext) -> bool:
    american = context.language == "en" and context.timezone.startswith(("America/", "US/"))
    return context.language == "en-US" or american
