"""Running turns for who asks over a page: by the process's runner where there is one, else here and now."""

from uuid import UUID

from asgiref.sync import async_to_sync

from dialogue.turns.accept import Accepted, Incoming, accept
from dialogue.turns.lease import Lease


def accept_and_start(conversation: UUID, incoming: Incoming) -> Accepted:
    """Store an event and start its turn. Raises what `accept` raises."""
    from dialogue.turns import runner  # the engine is loaded with the first turn

    accepted = accept(conversation, incoming, claim_for=runner.lease_owner())
    start_due_turn(conversation, accepted.lease)
    return accepted


def start_due_turn(conversation: UUID, lease: Lease | None = None) -> None:
    """Start whatever is due in this conversation."""
    from dialogue.turns import runner
    from dialogue.turns.worker import drain

    if runner.lease_owner():
        runner.wake_conversation(conversation, lease)
        return
    async_to_sync(drain)(conversation, lease)
