"""What a turn may reach outside itself: the ports and the clock, handed in through LangGraph's context."""

from dataclasses import dataclass
from datetime import datetime

from dialogue.engine.actions import Actions
from dialogue.engine.knowledge import HelpGenerator, KnowledgeBase
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.ports.hitl import HITLCallback
from dialogue.engine.ports.sinks import MessageSink
from dialogue.engine.understanding import NLU

LOOKUP_SECONDS = 4.0


@dataclass(frozen=True)
class RuntimeContext:
    """The dependencies of one turn. `conversation` is LangGraph's thread_id; `now` carries its time zone.

    What `knowledge` does not know, and where there is none, is answered from the assistant's own texts; so is help
    without a `helper`. Each of the two has `lookup_seconds` for an answer.
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
