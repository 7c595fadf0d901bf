"""What one turn reads, and its result."""

from dataclasses import dataclass
from datetime import datetime

from dialogue.models import Conversation, Event, HITLSession, Release, Trial
from dialogue.turns.checkpointer import DjangoSaver
from dialogue.turns.compiled_releases import CompiledRelease
from dialogue.turns.lease import Lease
from dialogue.turns.live.recent_turns import CommittedTurn
from dialogue.turns.transcript import TurnLines


@dataclass(frozen=True)
class UnloadableRelease:
    """A release that cannot be compiled: its texts, an action or a library has changed since it was published."""

    error: Exception


@dataclass(frozen=True)
class Work:
    """Everything that one turn reads, fetched in one call of the database's thread."""

    lease: Lease
    conversation: Conversation
    release: Release
    event: Event
    sessions: list[HITLSession]
    saver: DjangoSaver
    compiled: CompiledRelease | UnloadableRelease
    at: datetime
    lines: TurnLines
    trial: Trial | None = None

    def ready_release(self) -> CompiledRelease:
        """Return the compiled release. Raises the error of compiling it."""
        if isinstance(self.compiled, UnloadableRelease):
            raise self.compiled.error
        return self.compiled


@dataclass(frozen=True)
class FinishedTurn:
    """The result of a turn: 1 if it was committed, whether another event is due, whether inboxes must look."""

    committed: int
    more: bool
    inbox: bool = False
    committed_turn: CommittedTurn | None = None
    """The turn as sockets are told it; None when they must read it from the database."""
