"""The ledger around actions: what was meant is written before it is done, what came of it before it is believed.

    intended -> running -> succeeded | failed | unknown

Each arrow is a transaction of its own; what may be repeated is meant and begins in the same one. The first transaction
also stores what the turn has said so far, which is then read while the action runs. A run that is found again under its
key gives its stored result and is not called a second time; one that died while it ran is repeated only when its
contract says that this is safe.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from dialogue.engine.actions import ActionCall, ActionMissing, Actions, Failed, Outcome, Succeeded, Unknown
from dialogue.models import ActionRun, hot_path
from dialogue.turns import clock
from dialogue.turns.lease import Lease, LeaseLost
from dialogue.turns.process.crash_points import crash_point
from dialogue.turns.process.database import in_thread
from dialogue.turns.process.turn_limiter import waiting_outside
from dialogue.turns.transcript import TurnLines


class InputsChanged(Exception):
    """The same key came back with other inputs; nothing was called."""


@dataclass(frozen=True)
class LedgeredActions:
    """The actions port as turns use it: `inner` does the work, the ledger remembers it."""

    inner: Actions
    lease: Lease
    lines: TurnLines | None = None
    """What the turn has said; it is stored with the record of an action's start."""

    async def run(self, call: ActionCall) -> Outcome:
        """Run `call` once, or give what an earlier run of the same key gave."""
        recorded_outcome = await in_thread(self._begin)(call)
        if recorded_outcome is not None:
            return recorded_outcome
        crash_point("F2")
        try:
            with waiting_outside():
                outcome = await self.inner.run(call)
        except ActionMissing:
            await in_thread(self._withdraw)(call)
            raise
        crash_point("F3")
        await in_thread(self._record_outcome)(call, outcome)
        crash_point("F4")
        return outcome

    def _begin(self, call: ActionCall) -> Outcome | None:
        run = self._record_intent(call)
        crash_point("F1")
        if run is None:
            return None
        if run.inputs_sha256 != inputs_digest(call.inputs):
            raise InputsChanged(call.key)
        match run.state:
            case ActionRun.State.SUCCEEDED:
                return Succeeded(run.outputs or {}, run.error)
            case ActionRun.State.FAILED:
                return Failed(run.error)
            case ActionRun.State.UNKNOWN if not run.idempotent:
                return Unknown(run.error)
            case ActionRun.State.RUNNING if not run.idempotent:
                reason = "The process ended while this action ran; whether it happened is not known."
                ActionRun.objects.filter(pk=run.pk, state=ActionRun.State.RUNNING, epoch=run.epoch).update(
                    state=ActionRun.State.UNKNOWN, error=reason, finished_at=clock.now()
                )
                return Unknown(reason)
        return self._mark_running(run)

    @transaction.atomic
    def _record_intent(self, call: ActionCall) -> ActionRun | None:
        """The run as it stands; None when it is new and has begun."""
        if self.lines is not None and self.lines.pending:
            self.lines.store_pending(self.lease)
        else:
            self.lease.check()
        rows = hot_path.fetch(ActionRun, {"key": call.key})
        return rows[0] if rows else self._insert_run(call)

    def _insert_run(self, call: ActionCall) -> ActionRun | None:
        """Whether a run had begun when its process died decides only about one that may not be repeated."""
        begins = call.contract.idempotent
        run = ActionRun(
            key=call.key,
            conversation_id=self.lease.conversation,
            action=call.name,
            inputs=dict(call.inputs),
            inputs_sha256=inputs_digest(call.inputs),
            idempotent=begins,
            state=ActionRun.State.RUNNING if begins else ActionRun.State.INTENDED,
            attempts=int(begins),
            epoch=self.lease.epoch,
            intended_at=clock.now(),
        )
        hot_path.insert([run], returning_keys=True)
        return None if begins else run

    @transaction.atomic
    def _mark_running(self, run: ActionRun) -> None:
        """Take the run for this lease; a zombie that comes later finds it taken."""
        self.lease.check()
        unchanged = {"id": run.pk, "state": run.state, "epoch": run.epoch}
        changes = {"state": ActionRun.State.RUNNING, "epoch": self.lease.epoch, "attempts": run.attempts + 1}
        if not hot_path.update(ActionRun, unchanged, changes):
            raise LeaseLost(self.lease.conversation)

    def _withdraw(self, call: ActionCall) -> None:
        """There was nothing to call: what was intended is still to be done."""
        own_run = ActionRun.objects.filter(key=call.key, state=ActionRun.State.RUNNING, epoch=self.lease.epoch)
        own_run.update(state=ActionRun.State.INTENDED)

    def _record_outcome(self, call: ActionCall, outcome: Outcome) -> None:
        own_run = {"key": call.key, "state": ActionRun.State.RUNNING, "epoch": self.lease.epoch}
        if not hot_path.update(ActionRun, own_run, {"finished_at": clock.now(), **result_columns(outcome)}):
            raise LeaseLost(self.lease.conversation)


def result_columns(outcome: Outcome) -> dict[str, Any]:
    match outcome:
        case Succeeded(outputs, misfit):
            return {"state": ActionRun.State.SUCCEEDED, "outputs": dict(outputs), "error": misfit}
        case Failed(error):
            return {"state": ActionRun.State.FAILED, "error": error}
        case Unknown(reason):
            return {"state": ActionRun.State.UNKNOWN, "error": reason}


def inputs_digest(inputs: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(dict(inputs), sort_keys=True).encode()).hexdigest()
