"""What a turn works with: the host's ports and clock, and the tables of its assistant."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypedDict

from dialogue.engine.actions import Actions
from dialogue.engine.expressions.kinds import Kind
from dialogue.engine.knowledge import HelpGenerator, KnowledgeBase
from dialogue.engine.language.compiler import Assistant, Flow, Slot
from dialogue.engine.language.loop_items import slots_of_rounds
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.ports.hitl import HITLCallback
from dialogue.engine.ports.sinks import MessageSink
from dialogue.engine.stack.responses import Responses
from dialogue.engine.understanding import NLU

LOOKUP_SECONDS = 4.0


class StartValue(TypedDict):
    """A value that a slot has from the opening of the conversation: from its opener, or from a claim of its token."""

    value: Any
    source: Literal["start", "claim"]


@dataclass(frozen=True)
class RuntimeContext:
    """The dependencies of one turn. `conversation` is LangGraph's thread_id; `now` is timezone-aware.

    Without `knowledge` or `helper`, and where they have no answer, the assistant's own texts answer. Each of the two
    has `lookup_seconds` for an answer. `image_origins` are the origins from which messages may show images, such as
    "https://images.example.org"; `own_images` returns the address of the assistant's folder, such as "/chat/bank/",
    below which its own images are. `start_values` are the values with which the conversation was opened, by slot.
    """

    conversation: str
    assistant: Assistant
    nlu: NLU
    actions: Actions
    sink: MessageSink
    hitl: HITLCallback
    now: datetime
    language: str = "en"
    timezone: str = "UTC"
    knowledge: KnowledgeBase | None = None
    helper: HelpGenerator | None = None
    lookup_seconds: float = LOOKUP_SECONDS
    image_origins: frozenset[str] = frozenset()
    own_images: Callable[[], str] = str
    start_values: Mapping[str, StartValue] = field(default_factory=dict)


class Catalogue:
    """Tables of an assistant that every turn needs, built once however many flows it has.

    `sensitive` has every slot name that is sensitive in any flow, as a whole or in a field, with the slots that make it
    so; `data_choices` the names of slots with options from data, for each flow that has any. `round_slots` has, for
    each flow, the slots of the rounds of its loops, and of those in flows that it calls.
    """

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        self.flows: Mapping[str, Flow] = assistant.flows
        self.startable = tuple(flow for flow in assistant.flows.values() if flow.start)
        self.responses = Responses(assistant)
        declarations = [assistant.slots, *(flow.slots for flow in assistant.flows.values())]
        shared_choices = tuple(name for name, slot in assistant.slots.items() if slot.options_from)
        self.data_choices = {
            name: choices
            for name, flow in assistant.flows.items()
            if (choices := (*shared_choices, *(slot for slot in flow.slots if flow.slots[slot].options_from)))
        }
        self._kinds: dict[str, Mapping[str, Kind]] = {}
        has_rounds = any(flow.has_rounds for flow in self.flows.values())
        self.round_slots = {name: slots_of_rounds(self.flows, name) for name in self.flows} if has_rounds else {}
        self.sensitive: dict[str, list[Slot]] = {}
        for name, slot in (item for slots in declarations for item in slots.items()):
            if slot.hides_values:
                self.sensitive.setdefault(name, []).append(slot)

    def kinds_of(self, flow: str) -> Mapping[str, Kind]:
        """Return the kinds of the names that expressions of this flow may use."""
        if flow not in self._kinds:
            self._kinds[flow] = FlowView(self.assistant, self.flows[flow], frozenset()).kinds
        return self._kinds[flow]
