"""The ledger of actions: an intent is stored before the call, and the outcome before the turn uses it.

    intended -> running -> succeeded | failed | unknown

Each arrow is one transaction; an idempotent action is inserted as running, in one transaction. The first transaction
also stores the turn's lines so far, which the user then reads while the action runs. A run whose key has a stored
result returns that result without a second call. A run whose process died is repeated only when its contract declares
the action idempotent, or that it only reads (`effect: none`).
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
    """The key was used before with other inputs; the action was not called."""


@dataclass(frozen=True)
class LedgeredActions:
    """The actions port of turns: `inner` calls the action, and the ledger stores intent and outcome."""

    inner: Actions
    lease: Lease
    lines: TurnLines | None = None
    """The turn's lines; pending ones are stored with the record of an action's start."""

    async def run(self, call: ActionCall) -> Outcome:
        """Run `call` once, or return the stored outcome of an earlier run with the same key.

        Raises ActionMissing, InputsChanged and LeaseLost.
        """
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
            if not call.contract.only_reads:
                raise InputsChanged(call.key)
            self._change_inputs(run, call)
            return self._mark_running(run)
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
        """Return the stored run; None when a new one was inserted as running and the action may be called."""
        if self.lines is not None and self.lines.pending:
            self.lines.store_pending(self.lease)
        else:
            self.lease.check()
        rows = hot_path.fetch(ActionRun, {"key": call.key})
        return rows[0] if rows else self._insert_run(call)

    def _change_inputs(self, run: ActionRun, call: ActionCall) -> None:
        """Store other inputs of an action that only reads: what it read with the earlier ones binds nothing."""
        inputs = {"inputs": dict(call.inputs), "inputs_sha256": inputs_digest(call.inputs), "outputs": None}
        ActionRun.objects.filter(pk=run.pk, epoch=run.epoch).update(**inputs)

    def _insert_run(self, call: ActionCall) -> ActionRun | None:
        """Insert the run, as running if repeatable: only for others it matters whether the call had begun."""
        begins = call.contract.repeatable
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
        """Mark the run as running under this lease's epoch. Raises LeaseLost, also when another runner has taken it."""
        self.lease.check()
        unchanged = {"id": run.pk, "state": run.state, "epoch": run.epoch}
        changes = {"state": ActionRun.State.RUNNING, "epoch": self.lease.epoch, "attempts": run.attempts + 1}
        if not hot_path.update(ActionRun, unchanged, changes):
            raise LeaseLost(self.lease.conversation)

    def _withdraw(self, call: ActionCall) -> None:
        """Set the run back to intended: no such action is installed, so nothing was called."""
        own_run = ActionRun.objects.filter(key=call.key, state=ActionRun.State.RUNNING, epoch=self.lease.epoch)
        own_run.update(state=ActionRun.State.INTENDED)

    def _record_outcome(self, call: ActionCall, outcome: Outcome) -> None:
        own_run = {"key": call.key, "state": ActionRun.State.RUNNING, "epoch": self.lease.epoch}
        if not hot_path.update(ActionRun, own_run, {"finished_at": clock.now(), **result_columns(outcome)}):
            raise LeaseLost(self.lease.conversation)


def result_columns(outcome: Outcome) -> dict[str, Any]:
    """Return the columns of a run with this outcome: `{state, error}`, and `outputs` of a success."""
    match outcome:
        case Succeeded(outputs, misfit):
            return {"state": ActionRun.State.SUCCEEDED, "outputs": dict(outputs), "error": misfit}
        case Failed(error):
            return {"state": ActionRun.State.FAILED, "error": error}
        case Unknown(reason):
            return {"state": ActionRun.State.UNKNOWN, "error": reason}


def inputs_digest(inputs: Mapping[str, Any]) -> str:
    """Return the SHA-256 of inputs as JSON, whatever the order of their names."""
    return hashlib.sha256(json.dumps(dict(inputs), sort_keys=True).encode()).hexdigest()
