"""What one turn reads and what comes of it."""

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
    """A release that cannot be run here: its texts, an action or a library have changed under it."""

    error: Exception


@dataclass(frozen=True)
class Work:
    """Everything that one turn reads, fetched in one go."""

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
        """The release, ready to run. Raises what kept it from being loaded."""
        if isinstance(self.compiled, UnloadableRelease):
            raise self.compiled.error
        return self.compiled


@dataclass(frozen=True)
class FinishedTurn:
    """What became of a turn: how many were committed, whether another event is due, whether inboxes must look."""

    committed: int
    more: bool
    inbox: bool = False
    committed_turn: CommittedTurn | None = None
    """The turn as sockets are told it, where that is known without reading it again."""
