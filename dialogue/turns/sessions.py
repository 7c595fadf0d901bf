"""Pauses as rows: the commit of a turn opens a session for each pause and closes the sessions of ended ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from django.contrib.auth.models import Group
from django.db.models import F, Q, QuerySet

from dialogue.audit.chain import Act
from dialogue.conf import soni
from dialogue.engine.language.compiler import Action, Assistant, Handoff, Human
from dialogue.engine.language.later_use import results_needed
from dialogue.engine.ports.hitl import Completed, Expired, HITLContext, HITLDecision, PauseRequested
from dialogue.engine.ports.tasks import HandoffTask, HumanTask, PendingTask
from dialogue.engine.slots.form_schema import NEEDED_FOR, with_form_options
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.engine.stack.turn import SettledPause
from dialogue.engine.stack.unknown_outcomes import HAPPENED, staff_question
from dialogue.models import ActionRun, Conversation, Event, HITLSession, InboxEvent, Release, hot_path
from dialogue.models.sessions.inbox_event import OVERTAKEN
from dialogue.models.sessions.session import FAR_FUTURE, earliest_of
from dialogue.turns.answer_links import invite_people
from dialogue.turns.live.values_at_stake import searchable_text

PRIORITIES = {"low": -1, "normal": 0, "high": 1, "urgent": 2}
SUPERVISORS = "supervisors"
"""The group whose members may decide every gate."""

REASON = "reason"
"""The name of a decision's reason in a flow, `{<step>.reason}`, whether or not the form has such a field."""

MAX_SUMMARY_CHARACTERS = 300
_NAMESPACE = UUID("0d9b2f3e-5a39-4c34-9d6b-5f0f6f6c1a01")
"""The namespace of sessions' ids, which are stored and sent: it never changes."""

_CALLED = (ActionRun.State.RUNNING, ActionRun.State.SUCCEEDED, ActionRun.State.UNKNOWN)
_CURRENT = "AND (state IN ('open', 'claimed') OR delivery IN ('pending', 'applying', 'incident'))"


def session_uid(conversation: UUID, task_key: str) -> UUID:
    """Return the id of the session of one pause, which is the same in every run of the turn."""
    return uuid5(_NAMESPACE, f"{conversation}/{task_key}")


def tasks_without_session(
    conversation: UUID, tasks: Iterable[PendingTask], sessions: Iterable[HITLSession]
) -> list[PendingTask]:
    """Return the pauses that need a session and have none among these.

    A wait for a time or an event is not answered by people: it has timers and no session.
    """
    have = {row.uid for row in sessions}
    return [task for task in tasks if task.audience != "clock" and session_uid(conversation, task.key) not in have]


def current_sessions(conversation: UUID) -> hot_path.Query:
    """Return the query of the sessions that the engine may ask about: undecided, or decided and not applied."""
    return hot_path.Query(HITLSession, {"conversation": conversation}, _CURRENT)


@dataclass
class Record:
    """The engine's HITL port: answers from the sessions' rows, with the same answer in every run of the turn."""

    conversation: UUID
    sessions: Sequence[HITLSession]

    async def __call__(self, context: HITLContext) -> HITLDecision:
        session = next((row for row in self.sessions if self._is_about(row, context)), None)
        match session:
            case HITLSession(state=HITLSession.State.SUBMITTED):
                return completed_decision(session)
            case HITLSession(state=HITLSession.State.EXPIRED):
                return expired_decision(session)
            case _:
                task_key = f"{context.node_id}/{context.visit}"
                return PauseRequested(session_id=str(session_uid(self.conversation, task_key)))

    @staticmethod
    def _is_about(row: HITLSession, context: HITLContext) -> bool:
        return row.node_id == context.node_id and row.visit == context.visit


def completed_decision(session: HITLSession) -> Completed:
    """Return the decision of a submitted session: its form's values, the name of the person who decided, the reason."""
    values = {name: value for name, value in session.values.items() if name != REASON or value}
    return Completed(
        selected_handle=session.handle, inputs=values, outputs={"by": session.decided_as, **_reason_of(session)}
    )


def expired_decision(session: HITLSession) -> Expired:
    """Return the decision of an expired session; it has a reason when a person let it expire."""
    return Expired(selected_handle=session.handle, outputs=_reason_of(session))


def _reason_of(session: HITLSession) -> dict[str, str]:
    return {REASON: session.reason} if session.reason else {}


@dataclass
class SessionChanges:
    """The changes of sessions in the commit of one turn, with the acts for the audit and the events for inboxes."""

    conversation: Conversation
    release: Release
    assistant: Assistant
    stack: Sequence[dict[str, Any]]
    at: datetime
    slots: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """The conversation's own slots."""
    heard: int | None = None
    """The session whose decision is this turn's event."""
    changed: Sequence[str] = ()
    """The names of the slots that this turn has changed."""
    began: datetime | None = None
    """When the first run of this turn began."""
    acts: list[Act] = field(default_factory=list)
    inbox: list[InboxEvent] = field(default_factory=list)
    opened: list[HITLSession] = field(default_factory=list)
    closed: set[int] = field(default_factory=set)
    overtaken: list[tuple[HITLSession, str]] = field(default_factory=list)

    def close(self, settled: Iterable[SettledPause], sessions: Sequence[HITLSession]) -> None:
        """Close the sessions whose pauses ended: answered by the user, decided by staff, or removed by the flow."""
        rows = {row.task_key: row for row in sessions}
        for end in settled:
            row = rows.get(end.task_key)
            if row is None:
                continue
            self.closed.add(row.number)
            if row.pk == self.heard and row.state in HITLSession.FINAL:
                HITLSession.objects.filter(pk=row.pk).update(
                    delivery=HITLSession.Delivery.APPLIED, version=F("version") + 1
                )
            elif end.how == "answered" and row.state in HITLSession.UNDECIDED:
                self._record_answer(row, end)
            elif not self._cancel(row, end.how):
                self._overtake(row, end.how)

    def undecided_of(self, sessions: Iterable[HITLSession]) -> list[HITLSession]:
        """Return the sessions that wait for an answer after the turn. `sessions` are those from before it."""
        open_rows = (row for row in sessions if row.state in HITLSession.UNDECIDED and row.number not in self.closed)
        return [*open_rows, *self.opened]

    def close_all(self, reason: str) -> None:
        """Cancel undecided sessions because the conversation is over; decisions that were not applied are overtaken."""
        rows = HITLSession.objects.filter(conversation=self.conversation)
        for row in rows.filter(state__in=HITLSession.UNDECIDED):
            self._cancel(row, reason)
        for row in rows.filter(state__in=HITLSession.FINAL, delivery__in=HITLSession.UNHEARD).exclude(
            pk=self.heard or 0
        ):
            self._overtake(row, reason)

    def open(self, tasks: Sequence[PendingTask], keys: Sequence[int]) -> None:
        """Open a session for each of these pauses, and invite the people of its channels. `keys`: theirs, if known."""
        known = iter(keys)
        new = [self._new_session(task, next(known, None)) for task in tasks]
        hot_path.insert(new, returning_keys=True)
        self.opened += new
        for row in new:
            if row.audience == HITLSession.Audience.STAFF:
                self._announce(row, "opened", {"flow": row.flow, "step": row.step})
                self.acts += invite_people(row, self.at)

    def tell_overtaken(self) -> None:
        """Record which decisions came too late, why, and the session that asks again if this turn has opened one."""
        for row, how in self.overtaken:
            names = {entry["name"] for entry in row.shown}
            again = next((new for new in self.opened if (new.flow, new.step) == (row.flow, row.step)), None)
            changed = [name for name in self.changed if name in names] if how == "voided" else []
            facts = {"how": how, "changed": changed, "next": again.name if again else ""}
            self._announce(row, OVERTAKEN, facts)

    def note_user_message(self, event: Event, sessions: Sequence[HITLSession]) -> None:
        """Note in a handed-over chat since when the customer waits for an answer, and tell inboxes to look again."""
        is_from_user = event.kind in (Event.Kind.MESSAGE, Event.Kind.CHOICE)
        if not is_from_user and event.kind != Event.Kind.SAY:
            return
        for row in sessions:
            if row.kind == HITLSession.Kind.HANDOFF and row.state in HITLSession.UNDECIDED:
                asked_at = event.accepted_at if is_from_user else None
                rows = HITLSession.objects.filter(pk=row.pk)
                if asked_at is None:
                    rows.update(waits_since=FAR_FUTURE)
                else:
                    rows.filter(waits_since=FAR_FUTURE).update(waits_since=asked_at)
                self.inbox.append(InboxEvent(session=row, kind="changed", version=row.version, at=self.at))

    def _record_answer(self, row: HITLSession, end: SettledPause) -> None:
        changes = {
            "state": HITLSession.State.SUBMITTED,
            "delivery": HITLSession.Delivery.APPLIED,
            "version": hot_path.Increment(),
            "decided_by": self.conversation.user_id,
            "decided_as": self.conversation.customer,
            "decided_at": self.at,
            "decided_through": "chat",
            "handle": end.handle,
            "values": dict(end.values),
        }
        hot_path.update_later(HITLSession, {"number": row.pk}, changes, "AND state IN ('open', 'claimed')")

    def _cancel(self, row: HITLSession, reason: str) -> bool:
        """Cancel a session. False when staff have decided it since the row was read."""
        done = HITLSession.objects.filter(pk=row.pk, state__in=HITLSession.UNDECIDED).update(
            state=HITLSession.State.CANCELLED, version=F("version") + 1, decided_at=self.at, reason=reason
        )
        if done and row.audience == HITLSession.Audience.STAFF:
            row.version += 1
            self._announce(row, "cancelled", {"reason": reason})
        return bool(done)

    def _overtake(self, row: HITLSession, how: str) -> None:
        """Close a decision whose pause ended in another way before the engine applied it; its event gets no turn."""
        unheard = HITLSession.objects.filter(pk=row.pk, delivery__in=HITLSession.UNHEARD)
        unheard_decisions = Event.objects.filter(session=row.pk, state__in=(Event.State.DUE, Event.State.INCIDENT))
        if self._has_acted(row, unheard_decisions):
            return  # the decision was partly carried out: it stays an incident, for a person to look at
        if unheard.update(delivery=HITLSession.Delivery.OVERTAKEN, version=F("version") + 1):
            unheard_decisions.update(state=Event.State.DONE, done_at=self.at)
            row.refresh_from_db(fields=["version"])
            self.overtaken.append((row, how))

    def _has_acted(self, row: HITLSession, unheard_decisions: QuerySet[Event]) -> bool:
        """Whether a turn of this decision has called an action and has then failed for good."""
        if not unheard_decisions.filter(Q(state=Event.State.INCIDENT) | Q(basis__isnull=False)).exists():
            return False
        runs = ActionRun.objects.filter(conversation=self.conversation, intended_at__gte=row.decided_at)
        return runs.filter(intended_at__lt=self.began or self.at, state__in=_CALLED).exists()

    def _announce(self, row: HITLSession, kind: str, facts: dict[str, Any]) -> None:
        self.inbox.append(InboxEvent(session=row, kind=kind, version=row.version, at=self.at))
        self.acts.append(Act(f"session.{kind}", "engine", subject=row.name, facts=facts))

    def _new_session(self, task: PendingTask, key: int | None) -> HITLSession:
        row = HITLSession(
            pk=key,
            uid=session_uid(self.conversation.pk, task.key),
            conversation=self.conversation,
            release=self.release,
            flow=task.flow,
            frame=task.frame,
            step=task.step,
            visit=task.visit,
            kind=task.kind,
            audience=task.audience,
            title=task.title[:200],
            message=task.message,
            metadata=task.metadata,
            opened_at=self.at,
            urgent_at=FAR_FUTURE,
        )
        # An offer, and a chat that a person took over outside a flow, have no step.
        flow = self.assistant.flows.get(task.flow)
        step = flow.step(task.step) if flow and flow.has_step(task.step) else None
        question = staff_question(self.assistant, step) if step and isinstance(task, HumanTask) else None
        if question is not None:
            self._describe(row, question, task)
        elif isinstance(task, HandoffTask):
            self._describe_handoff(row, step if isinstance(step, Handoff) else None, task)
        return row

    def _describe_handoff(self, row: HITLSession, step: Handoff | None, task: HandoffTask) -> None:
        row.cause = "step" if step else task.reason[:40]
        row.waits_since = self.at
        row.due_at = self.at + ((step.due if step else None) or soni.ANSWER_WITHIN)
        if step:
            row.queue = step.queue or ""
            row.on_timeout = step.on_timeout or ""
            row.expires_at = moment_after(self.at, step.timeout)
        row.urgent_at = earliest_of(row.due_at, row.expires_at)

    def _describe(self, row: HITLSession, step: Human, task: PendingTask) -> None:
        """Copy what staff see and may do from the step to the row, so that a later release changes no open request."""
        computed = task.computed if isinstance(task, HumanTask) else {}
        row.schema = form_schema(_form_of(step, task))
        self._mark_needed(row)
        row.actions = [action.model_dump(mode="json") for action in step.actions]
        row.shown = self._shown_values(task.frame, step.show)
        row.summary = task.summary[:MAX_SUMMARY_CHARACTERS] if isinstance(task, HumanTask) else ""
        row.search_text = searchable_text(row)
        row.digest = task.digest if isinstance(task, HumanTask) else ""
        row.queue = computed.get("queue", step.queue) or ""
        row.priority = PRIORITIES[computed.get("priority", step.priority) or "normal"]
        row.four_eyes = step.four_eyes
        row.claim_required = step.claim
        row.people_required = step.required_people
        row.group = existing_group(computed["group"]) if "group" in computed else group_named(step.group)
        row.on_timeout = step.on_timeout
        row.expires_at = moment_after(self.at, step.timeout)
        row.due_at = moment_of(computed["due"]) if "due" in computed else moment_after(self.at, step.due)
        row.urgent_at = earliest_of(row.due_at, row.expires_at)
        if step.escalate:
            row.escalates_at = self.at + step.escalate.after
            row.escalates_to = group_named(step.escalate.role)
        row.channels = [action.model_dump(exclude_none=True) for action in step.channels]

    def _mark_needed(self, row: HITLSession) -> None:
        """Mark in the form the results that staff must give when the action happened, because later steps use them."""
        flow = self.assistant.flows[row.flow]
        step = flow.step(row.step)
        for name in results_needed(self.assistant, flow, step) if isinstance(step, Action) else ():
            row.schema["properties"][name][NEEDED_FOR] = [HAPPENED]

    def _shown_values(self, frame: str, names: Iterable[str]) -> list[dict[str, Any]]:
        frame_slots: dict[str, Any] = next((entry["slots"] for entry in self.stack if entry["frame"] == frame), {})
        slots = {**self.slots, **frame_slots}
        return [{"name": name, **slots[name]} for name in names if name in slots]


def _form_of(step: Human, task: PendingTask) -> dict[str, Slot]:
    """Return the form's fields; those whose options come from data offer what was loaded when the gate opened."""
    options = task.form_options if isinstance(task, HumanTask) else {}
    pairs = {name: [(choice.value, choice.label) for choice in choices] for name, choices in options.items()}
    computed = task.computed.get("form", {}) if isinstance(task, HumanTask) else {}
    return with_form_options(form_with_computed_limits(step.form, computed), pairs)


def form_with_computed_limits(form: Mapping[str, Slot], computed: Mapping[str, Any]) -> dict[str, Slot]:
    """Return the form's fields, with those whose limits or defaults were computed for this request."""
    # An object slot validates its fields and gives them their names.
    fields = Slot.model_validate({"type": "object", "fields": dict(computed)}).fields if computed else {}
    return {**form, **fields}


def existing_group(name: str | None) -> Group:
    """Return the group that an expression named. Unless it exists, only supervisors decide: data makes no groups."""
    group = Group.objects.filter(name=name).first() if name else None
    return group or Group.objects.get_or_create(name=SUPERVISORS)[0]


def moment_of(iso_text: str | None) -> datetime | None:
    return datetime.fromisoformat(iso_text) if iso_text else None


def group_named(name: str | None) -> Group | None:
    return Group.objects.get_or_create(name=name)[0] if name else None


def moment_after(at: datetime, delay: timedelta | None) -> datetime | None:
    return at + delay if delay else None
