"""One message in its context, with everything that the parts ask about it, worked out once."""

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from dialogue.engine.ports.tasks import CollectTask, ConfirmTask, HandoffTask, HumanTask, InformTask, OfferTask
from dialogue.engine.slots.models import Slot
from dialogue.engine.understanding import NLUContext, StackEntry
from dialogue.nlu.slots.assistant_index import FlowSense, Program
from dialogue.nlu.slots.dates import Clock
from dialogue.nlu.text.lexicons import lexicon_of
from dialogue.nlu.text.lexicons.lexicon import Lexicon
from dialogue.nlu.text.tokens import Token, tokenize

MARKERS = re.compile(r"\[\[ ## .*? ## \]\]")
Worked = TypeVar("Worked")
STANDING = frozenset({"active", "paused", "parked", "calling"})


@dataclass(frozen=True)
class Utterance:
    """`text` is the message, or one of several requests in it, in normal form C."""

    text: str
    context: NLUContext
    program: Program

    def once(self, work: Callable[..., Worked], *about: Hashable) -> Worked:
        """`work(*about, said)`, kept as long as the message: several readers ask for the same."""
        if (work, *about) not in self._worked:
            self._worked[work, *about] = work(*about, self)
        worked: Worked = self._worked[work, *about]
        return worked

    @cached_property
    def _worked(self) -> dict[tuple[Any, ...], Any]:
        return {}

    def part(self, text: str) -> "Utterance":
        return self if text == self.text else replace(self, text=text)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        return tokenize(self.text)

    @cached_property
    def folded(self) -> tuple[str, ...]:
        return tuple(token.folded for token in self.tokens)

    @cached_property
    def lexicon(self) -> Lexicon:
        return lexicon_of(self.context.language)

    def clock(self, *, past: bool = False) -> Clock:
        """The conversation's day; with `past` it looks back."""
        context = self.context
        today = context.now.astimezone(ZoneInfo(context.timezone)).date()
        return Clock(today, past=past, month_first=_month_first(context))

    @property
    def awaited_slot(self) -> Slot | None:
        """The slot that is asked for; a request of staff or a confirm awaits none."""
        return self.context.awaited_slot if isinstance(self.context.awaited, CollectTask) else None

    @property
    def offer(self) -> str:
        """What is offered: "clarify", "resume", "change", "restart" or ""."""
        return self.context.awaited.offer if isinstance(self.context.awaited, OfferTask) else ""

    @property
    def awaits_value(self) -> bool:
        return isinstance(self.context.awaited, CollectTask)

    @property
    def awaits_staff(self) -> bool:
        """Does the conversation wait for a decision of staff, and ask the user for nothing?"""
        return isinstance(self.context.awaited, HumanTask | HandoffTask)

    @property
    def answers_yes_or_no(self) -> bool:
        slot = self.awaited_slot
        return isinstance(self.context.awaited, ConfirmTask | InformTask | OfferTask) or (
            slot is not None and slot.type == "boolean"
        )

    @cached_property
    def standing(self) -> tuple[StackEntry, ...]:
        """The flows that were begun, the top one first."""
        return tuple(entry for entry in reversed(self.context.stack) if entry.status in STANDING)

    @property
    def busy(self) -> bool:
        return bool(self.standing)

    @cached_property
    def top(self) -> FlowSense | None:
        return self.program.senses.get(self.standing[0].flow) if self.standing else None

    def senses(self) -> Iterator[FlowSense]:
        """The flows that may hold a slot of this message, the top one first."""
        known = (self.program.senses.get(entry.flow) for entry in self.standing)
        return (sense for sense in known if sense is not None)

    def startable(self) -> frozenset[str]:
        return frozenset(flow.flow for flow in self.context.flows)

    def is_filled(self, sense: FlowSense, slot: Slot) -> bool:
        return self.shown(sense, slot) is not None

    def shown(self, sense: FlowSense, slot: Slot) -> str | None:
        filled = self.context.filled
        return filled.get(f"{sense.name}.{slot.name}", filled.get(slot.name))

    @cached_property
    def is_question(self) -> bool:
        """By its mark, or by its first word."""
        first = self.folded[:1]
        return self.text.rstrip().endswith("?") or bool(first and first[0] in self.lexicon.cues.question_words)


def read_utterance(message: str, context: NLUContext, program: Program) -> Utterance:
    """Field marks of prompts are taken out, so that no part ever sees them as such."""
    return Utterance(MARKERS.sub(" ", unicodedata.normalize("NFC", message)).strip(), context, program)


def _month_first(context: NLUContext) -> bool:
    american = context.language == "en" and context.timezone.startswith(("America/", "US/"))
    return context.language == "en-US" or american
