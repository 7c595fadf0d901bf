"""Hypothesis plays operations on gates, and looks after each whether the rows are what a plain model says."""

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import Group
from django.db import transaction
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import DraftText
from dialogue.desk.sessions.service import Answer, Caller, Refused
from dialogue.engine.slots.form_schema import form_schema
from dialogue.engine.slots.models import Slot
from dialogue.models import Conversation, Event, HITLSession, Submission
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from dialogue.turns.waiting.timers import fire_due
from tests.support.desk.gate_model import FINAL, SUPERVISED, Gate
from tests.support.transfers import person

MOST_OPEN = 4
NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
PEOPLE = {"olga": ("operators", "payments"), "oscar": ("operators", "payments"), "sofia": ("supervisors",)}
VISITED: Counter[str] = Counter()
ACTIONS = [
    {"id": "approve", "label": "Approve", "style": "primary", "reason": False},
    {"id": "reject", "label": "Reject", "style": "default", "reason": False},
]
RECEIPT: dict[str, Any] = {"name": "receipt.txt", "kind": "text", "size": 7, "digest": "0" * 64}
BILL = {"id": "0" * 32, **RECEIPT}
PART = {"type": "object", "fields": {"name": {"type": "text"}, "count": {"type": "integer"}}}
FORM = form_schema(
    {
        "receipt": Slot.model_validate({"type": "file", "kinds": ["text"]}),
        "parts": Slot.model_validate({"type": "list", "items": PART}),
    }
)
Acting = Callable[..., None]


def acts(operation: str) -> Acting:
    """The rule that somebody tries this operation on some gates; who may not, or comes too late, tries it too."""

    @rule(
        data=st.data(),
        who=st.sampled_from(["sofia"] * 5 + ["olga"] if operation in SUPERVISED else ["olga", "oscar", "sofia"]),
        stale=st.sampled_from([False, False, False, True]),
        key=st.sampled_from(["k1", "k2", "k3"]),
    )
    def tried(self: "Desk", data: st.DataObject, who: str, stale: bool, key: str) -> None:
        tried_on = data.draw(st.lists(st.sampled_from(sorted(self.gates)), min_size=1, max_size=4, unique=True))
        sent = (f"{who}-{key}", data.draw(st.sampled_from(["approve", "reject"])))
        by_holder = data.draw(st.booleans())
        for number in tried_on:
            holder = self.gates[number].holder if by_holder else ""
            self.somebody_acts(operation, number, holder or who, stale, sent)

    tried_rule: Acting = tried
    return tried_rule


class Desk(RuleBasedStateMachine):
    """Some gates of one conversation, at most four open, and three people; `now` moves only by its own rule."""

    def __init__(self) -> None:
        super().__init__()
        self.gates: dict[int, Gate] = {}
        self.timers: dict[int, datetime] = {}
        """When the timers are due that have not fired yet."""
        self.fired: set[int] = set()
        self.stack = ExitStack()
        self.stack.enter_context(transaction.atomic())
        self.clock = self.stack.enter_context(clock.frozen(NOON))
        self.conversation = open_conversation("bank", user_ref="Ursula")[0]
        self.people = {name: Caller(_account(name), "api") for name in PEOPLE}

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.stack.close()

    @initialize(
        holders=st.lists(st.sampled_from(["olga", "oscar", "sofia"]), min_size=2, max_size=2),
        ended=st.sampled_from(["submit", "submit", "submit", "expire by hand", "cancel", "the clock"]),
    )
    def first_gates(self, holders: list[str], ended: str) -> None:
        for holder in holders:
            self.somebody_acts("claim", self.open_gate(60), holder, stale=False, sent=("", ""))
        number = self.open_gate(1)
        if ended == "the clock":
            self.time_passes(1)
        else:
            self.somebody_acts(ended, number, "sofia", stale=False, sent=("k", "reject"))

    @rule(minutes=st.sampled_from([5, 20, 20, 60]))
    def another_gate_opens(self, minutes: int) -> None:
        if sum(gate.state not in FINAL for gate in self.gates.values()) < MOST_OPEN:
            self.open_gate(minutes)

    def open_gate(self, minutes: int) -> int:
        row = _opened(self.conversation, len(self.gates) + 1, self.clock.at + timedelta(minutes=minutes))
        self.gates[row.pk] = Gate(row.expires_at or NOON)
        return row.pk

    @rule(minutes=st.sampled_from([1, 1, 2, 6, 11]))
    def time_passes(self, minutes: int) -> None:
        self.clock.advance(timedelta(minutes=minutes))

    @rule()
    def a_deadline_passes(self) -> None:
        ahead = [gate.deadline for gate in self.gates.values() if gate.state not in FINAL]
        self.clock.at = max(self.clock.at, min(ahead, default=self.clock.at))

    @rule(minutes=st.sampled_from([1, 2, 6, 60]))
    def a_wait_begins(self, minutes: int) -> None:
        """Another flow of the conversation waits for a time, while its gates are open."""
        due_at = self.clock.at + timedelta(minutes=minutes)
        key = f"notice-1/pause/{len(self.timers) + len(self.fired) + 1}"
        self.timers[self.conversation.timers.create(task_key=key, name="due", due_at=due_at).pk] = due_at

    @rule()
    def sweep(self) -> None:
        service.expire_due()
        service.return_expired_claims()
        fire_due()
        due = {number for number, due_at in self.timers.items() if due_at <= self.clock.at}
        self.fired |= due
        VISITED["timers fired"] += len(due)
        self.timers = {number: due_at for number, due_at in self.timers.items() if number not in due}
        for gate in self.gates.values():
            gate.sweep(self.clock.at)

    @rule(data=st.data())
    def a_delivery_gets_stuck(self, data: st.DataObject) -> None:
        decided = [number for number, gate in self.gates.items() if gate.delivery == "pending"]
        if decided:
            number = data.draw(st.sampled_from(decided))
            HITLSession.objects.filter(pk=number).update(delivery="incident")
            Event.objects.filter(session=number).update(state="incident", attempts=3)
            self.gates[number].delivery = "incident"

    claim = acts("claim")
    claim_again = acts("claim")
    release = acts("release")
    take_over = acts("take over")
    save_draft = acts("save draft")
    submit = acts("submit")
    expire_by_hand = acts("expire by hand")
    extend = acts("extend")
    cancel = acts("cancel")
    retry = acts("retry")
    abandon = acts("abandon")

    def somebody_acts(self, operation: str, number: int, who: str, stale: bool, sent: tuple[str, str]) -> None:
        gate, now = self.gates[number], self.clock.at
        wanted = gate.told(operation, who, now, stale=stale, sent=sent)
        column = gate.column(who, now)

        told = self._act(operation, number, who, gate.version - 1 if stale else gate.version, sent)

        assert told == wanted, f"{operation} by {who} on {column}: {told}, and the table says {wanted}"
        row = "retry / abandon" if operation in ("retry", "abandon") else operation
        if told != (403, "not_allowed") or operation == "expire by hand":
            VISITED[f"{row} / {column}"] += 1
        VISITED["taken" if told[0] < 300 else f"refused {told[0]}"] += 1
        if told[0] < 300 and not (operation == "submit" and told[0] == 200):
            gate.take(operation, who, now, sent)

    def _act(self, operation: str, number: int, who: str, version: int, sent: tuple[str, str]) -> tuple[int, str]:
        caller = self.people[who]
        text = DraftText({"note": who}, sent[1])
        works: dict[str, Any] = {
            "claim": lambda: service.claim(number, caller, version=version),
            "release": lambda: service.release(number, caller, version=version),
            "take over": lambda: service.take_over(number, caller, reason="away", version=version),
            "save draft": lambda: service.save_draft(number, caller, text),
            "submit": lambda: service.submit(number, caller, _answer(number, sent[1]), version=version, key=sent[0]),
            "expire by hand": lambda: service.expire(number, caller, reason="nobody comes", version=version),
            "extend": lambda: service.extend(number, caller, by=timedelta(hours=1), version=version),
            "cancel": lambda: service.cancel(number, caller, reason="a mistake", version=version),
            "retry": lambda: service.retry_delivery(number, caller, version=version),
            "abandon": lambda: service.abandon_delivery(number, caller, version=version),
        }
        try:
            return works[operation]().status, ""
        except Refused as refused:
            self._look_at_refusal(refused, self.gates[number], number)
            return refused.status, refused.code

    def _look_at_refusal(self, refused: Refused, gate: Gate, number: int) -> None:
        """Who comes too late is told who was first, and every refusal is kept."""
        if refused.code == "already_submitted":
            assert refused.plain()["current"]["decided_by"].lower() == gate.winner, refused.plain()
        kept = HITLSession.objects.get(pk=number).submissions.latest("pk")
        assert (kept.accepted, kept.status, kept.code) == (False, refused.status, refused.code)

    @invariant()
    def rows_are_what_the_model_says(self) -> None:
        mine = {"session__in": self.gates}
        accepted = Counter(Submission.objects.filter(**mine, accepted=True).values_list("session", flat=True))
        events = Counter(Event.objects.filter(**mine).values_list("session", flat=True))
        for row in HITLSession.objects.filter(pk__in=self.gates).select_related("assignee", "decided_by"):
            gate = self.gates[row.pk]
            holder = row.assignee.username if row.assignee and row.state == "claimed" else ""
            winner = row.decided_by.username if row.decided_by else ""
            seen = (row.state, holder, row.expires_at, winner, row.delivery, row.version)
            assert seen == (
                gate.state,
                gate.holder if gate.state == "claimed" else "",
                gate.deadline,
                gate.winner,
                gate.delivery,
                gate.version,
            )
            _look_at_decision(gate, accepted[row.pk], events[row.pk])
            _look_at_values(gate, row)

    @invariant()
    def each_timer_fires_once_when_it_is_due(self) -> None:
        fired = self.conversation.timers.exclude(fired_at=None)
        assert set(fired.values_list("pk", flat=True)) == self.fired
        assert self.conversation.events.filter(kind="timer").count() == len(self.fired)


def _look_at_decision(gate: Gate, accepted: int, events: int) -> None:
    """A final gate has one event for the engine and at most one accepted answer; any other has neither."""
    final = gate.state in FINAL
    assert (accepted <= 1, events) == (True, 1) if final else (accepted, events) == (0, 0)


def _look_at_values(gate: Gate, row: HITLSession) -> None:
    """The file and the records of the accepted answer are kept, and an answer that was not accepted uses no file."""
    receipt = row.files.get()
    was_answered = gate.sent is not None
    assert (receipt.used_at is not None) == was_answered
    assert row.values == ({"receipt": receipt.value, "parts": _parts(row.visit)} if was_answered else {})


def play(examples: int, steps: int, chance: int) -> None:
    """So many stories of so many steps; raises with the shortest story that the rows and the model tell differently."""
    story = settings(
        max_examples=examples,
        stateful_step_count=steps,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(chance)(Desk), settings=story)


def _account(name: str) -> int:
    return person(name, name.title(), *PEOPLE[name]).pk


def _opened(conversation: Conversation, visit: int, deadline: datetime) -> HITLSession:
    """The gate of a round of a loop: it shows the file and the records of the round, and asks for both."""
    row = HITLSession.objects.create(
        uid=uuid4(),
        conversation=conversation,
        release=conversation.release,
        flow="transfer_money",
        frame="transfer_money-1",
        step="approval",
        visit=visit,
        kind="human",
        audience="staff",
        title="Approve transfer",
        schema=FORM,
        shown=[
            {"name": name, "value": value, "shown": str(value), "sensitive": False}
            for name, value in (("bill", BILL), ("parts", _parts(visit)))
        ],
        actions=ACTIONS,
        group=Group.objects.get_or_create(name="payments")[0],
        opened_at=clock.now(),
        expires_at=deadline,
        urgent_at=deadline,
        on_timeout="reject",
    )
    conversation.files.create(session=row, field="receipt", **RECEIPT, at=clock.now())
    return row


def _parts(visit: int) -> list[dict[str, Any]]:
    """The records of a round."""
    return [{"name": "box", "count": visit}, {"name": "label", "count": 1}]


def _answer(number: int, action: str) -> Answer:
    row = HITLSession.objects.get(pk=number)
    return Answer(action, {"receipt": str(row.files.get().pk), "parts": _parts(row.visit)})
