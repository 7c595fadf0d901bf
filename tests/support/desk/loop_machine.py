"""Hypothesis plays a conversation whose loop opens a gate for each entry, and compares it with a plain model.

The engine runs every turn. A wait stands before each gate and another one after it; customers change the list and its
entries meanwhile, staff claim, decide and withdraw the gates, the clock ends waits and gates.
"""

import asyncio
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller, Refused
from dialogue.engine.ports import commands as c
from dialogue.engine.understanding import ScriptedNLU
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.waiting.reports import report_event
from dialogue.turns.waiting.timers import fire_due
from dialogue.turns.worker import Ports, drain
from tests.support.desk.gate_machine import NOON, PEOPLE, VISITED
from tests.support.desk.gate_model import FINAL, Gate
from tests.support.desk.loop_model import DEADLINE, NAMES, Delivery, Part
from tests.support.transfers import person

SOME_PARTS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)


class Deliveries(RuleBasedStateMachine):
    """One conversation, two people who decide; `now` moves only by its own rules."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Delivery()
        self.gates: dict[int, Gate] = {}
        self.stack = ExitStack()
        self.clock = self.stack.enter_context(clock.frozen(NOON))
        self.conversation = open_conversation("deliveries", user_ref="Ursula")[0]
        self.people = {name: Caller(person(name, name.title(), *groups).pk, "api") for name, groups in PEOPLE.items()}
        self.nlu = ScriptedNLU()
        self.sent = 0

    def teardown(self) -> None:
        self.stack.close()

    # ---- customers ----

    @initialize(names=SOME_PARTS)
    def the_first_delivery_begins(self, names: list[str]) -> None:
        self.begin(names)

    @precondition(lambda self: not self.model.is_running)
    @rule(names=SOME_PARTS)
    def another_delivery_begins(self, names: list[str]) -> None:
        self.begin(names)

    def begin(self, names: list[str]) -> None:
        self.says(c.StartFlow("deliver"), c.SetSlot("parts", names))
        self.model = Delivery([Part(name) for name in names], is_running=True)

    @precondition(lambda self: self.model.place == "how_many")
    @rule(count=st.integers(1, 3))
    def the_count_is_said(self, count: int) -> None:
        self.say_count(count)

    def say_count(self, count: int) -> None:
        self.says(c.SetSlot("count", count))
        self.model.correct(self.open_part(), count, self.clock.at)

    @precondition(lambda self: self.model.is_running)
    @rule(data=st.data(), count=st.integers(1, 5))
    def a_count_is_corrected(self, data: st.DataObject, count: int) -> None:
        self.correct(data.draw(st.sampled_from(self.model.parts)), count)

    def correct(self, part: Part, count: int) -> None:
        if part.count != count:
            self.visit(f"correct / {self.relation(part)} at {part.place}")
        self.says(c.CorrectSlot("count", count, item=self.model.parts.index(part) + 1))
        self.model.correct(part, count, self.clock.at)

    @precondition(lambda self: self.model.is_running and self.model.open_part is not None)
    @rule(often=st.integers(0, 2))
    def a_part_is_skipped(self, often: int) -> None:
        if not often:
            self.skip()

    def skip(self) -> None:
        self.visit(f"skip / {self.model.place}")
        self.says(c.SkipItem())
        self.model.end_round(self.clock.at)

    @precondition(lambda self: self.model.is_running and len(self.model.parts) < len(NAMES))
    @rule(data=st.data())
    def a_part_is_added(self, data: st.DataObject) -> None:
        names = {part.name for part in self.model.parts}
        self.add(data.draw(st.sampled_from([name for name in NAMES if name not in names])))

    def add(self, name: str) -> None:
        self.visit(f"more parts / {self.model.place}")
        self.says(c.AddValues("parts", (name,)))
        self.model.extend(name, self.clock.at)

    @precondition(lambda self: self.model.is_running and len(self.model.parts) > 1)
    @rule(data=st.data())
    def a_part_is_left_out(self, data: st.DataObject) -> None:
        part = data.draw(st.sampled_from(self.model.parts))
        self.visit(f"fewer parts / {self.relation(part)}")
        self.says(c.RemoveValues("parts", (part.name,)))
        self.model.reduce(part, self.clock.at)

    @precondition(lambda self: self.model.place == "sure")
    @rule()
    def the_delivery_is_confirmed(self) -> None:
        counts = [part.count for part in self.model.parts if part.gathered]
        self.says(c.Affirm())
        assert self.conversation.messages.filter(key="say:done").exists(), counts
        self.model = Delivery()

    @precondition(lambda self: self.model.is_running)
    @rule(often=st.integers(0, 4))
    def the_delivery_is_cancelled(self, often: int) -> None:
        if not often:
            self.says(c.CancelFlow("deliver"))
            self.model = Delivery()

    # ---- staff ----

    @precondition(lambda self: self.model.place == "approval")
    @rule(who=st.sampled_from(["olga", "oscar", "sofia"]), stale=st.sampled_from([False, False, False, True]))
    def the_gate_is_claimed(self, who: str, stale: bool) -> None:
        self.acts("claim", who, stale=stale)

    @precondition(lambda self: self.model.place == "approval")
    @rule(
        operation=st.sampled_from(["approve", "approve", "approve", "refuse", "expire by hand", "cancel", "release"]),
        who=st.sampled_from(["olga", "oscar", "sofia", "sofia"]),
        stale=st.sampled_from([False, False, False, True]),
    )
    def the_gate_is_decided(self, operation: str, who: str, stale: bool) -> None:
        self.decide(operation, who, stale=stale)

    def decide(self, operation: str, who: str, *, stale: bool = False) -> None:
        if not self.acts(operation, who, stale=stale):
            return
        part, now = self.open_part(), self.clock.at
        self.visit(f"gate / {operation}")
        self.run()
        if operation == "approve" and part.arrived:
            self.model.end_round(now, gathered=True)
        elif operation == "approve":
            part.place = "transit"
            self.model.enter(part, now)
        elif operation == "cancel":
            self.model = Delivery()
        elif operation != "release":
            self.model.end_round(now)

    def acts(self, operation: str, who: str, *, stale: bool) -> bool:
        """Whether it was done; whoever may not, or comes too late, is told what the state table says."""
        number, caller = max(self.gates), self.people[who]
        gate, now = self.gates[number], self.clock.at
        row, version = "submit" if operation in ("approve", "refuse") else operation, gate.version - stale
        wanted = gate.told(row, who, now, stale=stale, sent=(f"{who}-{number}", operation))
        answer, key = Answer(operation, {}), f"{who}-{number}"
        works: dict[str, Any] = {
            "claim": lambda: service.claim(number, caller, version=version),
            "release": lambda: service.release(number, caller, version=version),
            "submit": lambda: service.submit(number, caller, answer, version=version, key=key),
            "expire by hand": lambda: service.expire(number, caller, reason="nobody comes", version=version),
            "cancel": lambda: service.cancel(number, caller, reason="a mistake", version=version),
        }
        try:
            told = works[row]().status, ""
        except Refused as refused:
            told = refused.status, refused.code
        assert told == wanted, f"{operation} by {who}: {told}, and the table says {wanted}"
        if told[0] < 300:
            gate.take(row, who, now, (key, operation))
        return told[0] < 300

    # ---- the clock and others ----

    @precondition(lambda self: self.model.due is not None)
    @rule()
    def a_wait_is_over(self) -> None:
        self.end_wait()

    def end_wait(self) -> None:
        assert self.model.due is not None
        self.clock.at = max(self.clock.at, self.model.due)
        self.sweep()

    @rule(minutes=st.sampled_from([1, 2, 6, 40]))
    def time_passes(self, minutes: int) -> None:
        self.clock.advance(timedelta(minutes=minutes))
        self.sweep()

    @rule()
    def something_arrives(self) -> None:
        self.let_arrive()

    def let_arrive(self) -> None:
        """Only the part in transit waits for it."""
        self.sent += 1
        report_event(self.conversation, "arrived", {}, f"m{self.sent}")
        self.run()
        if self.model.place == "transit":
            self.visit("wait / it arrived")
            self.open_part().arrived = True
            self.model.end_round(self.clock.at, gathered=True)

    def sweep(self) -> None:
        service.expire_due()
        service.return_expired_claims()
        fire_due()
        self.run()
        now, place = self.clock.at, self.model.place
        for gate in self.gates.values():
            gate.sweep(now)
        if place == "approval" and self.gates[max(self.gates)].state == "expired":
            self.visit("gate / expired")
            self.model.end_round(now)
        elif self.model.due is not None and self.model.due <= now:
            self.visit("wait / pause is over" if place == "pause" else "wait / it did not arrive")
            if place == "transit":
                self.model.end_round(now)
            else:
                part = self.open_part()
                part.place, part.paused = "approval", True
                self.model.enter(part, now)

    # ---- what mostly happens, so that conversations come to their later steps ----

    @precondition(lambda self: self.model.is_running)
    @rule(how=st.sampled_from(["well"] * 5 + ["refuse", "cancel", "expire by hand", "correct", "add", "skip"]))
    def it_goes_on(self, how: str) -> None:
        part = self.model.open_part
        if self.model.place == "transit":  # few stories come so far: something else than usual happens there more often
            how = {"refuse": "correct", "cancel": "add", "expire by hand": "skip"}.get(how, how)
        if part is not None and how == "correct":
            self.correct(part, part.count % 5 + 1)
        elif part is not None and how == "skip":
            self.skip()
        elif how == "add" and len(self.model.parts) < len(NAMES):
            self.add(next(name for name in NAMES if name not in {part.name for part in self.model.parts}))
        elif self.model.place == "approval":
            who = "sofia" if how == "cancel" else self.gates[max(self.gates)].holder or "olga"
            self.decide(how if how in ("refuse", "cancel", "expire by hand") else "approve", who)
        else:
            works = {"how_many": lambda: self.say_count(1), "pause": self.end_wait, "transit": self.let_arrive}
            works.get(self.model.place, lambda: None)()

    it_goes_on_again = and_again = and_once_more = it_goes_on

    # ---- what holds ----

    @invariant()
    def the_conversation_is_where_the_model_says(self) -> None:
        self.conversation.refresh_from_db()
        frames, place, part = self.conversation.stack, self.model.place, self.model.open_part
        steps = [frame["step"] for frame in frames]
        assert steps == ([place] if place else []), f"the flow is at {steps}, the model at {place}"
        if frames and part is not None:
            slots = {name: stored["value"] for name, stored in frames[0]["slots"].items()}
            assert slots["parts"] == [each.name for each in self.model.parts]
            assert slots["part"] == part.name
            assert slots.get("count", 0) == part.count
        if place == "sure":
            gathered = [part.count for part in self.model.parts if part.gathered]
            assert frames[0]["slots"]["counts"]["value"] == gathered

    @invariant()
    def there_is_one_gate_for_the_open_part_and_no_other(self) -> None:
        rows = list(self.conversation.sessions.filter(audience="staff"))
        open_rows = [row for row in rows if row.state in ("open", "claimed")]
        assert len(open_rows) == (self.model.place == "approval")
        for row in open_rows:
            part = self.open_part()
            assert [field["value"] for field in row.shown] == [part.name, part.count]
            if row.pk not in self.gates:
                assert row.expires_at == self.clock.at + DEADLINE
                self.gates[row.pk] = Gate(row.expires_at)
        for row in rows:
            gate = self.gates[row.pk]
            if row in open_rows:
                assert (row.state, row.version) == (gate.state, gate.version)
            elif gate.state not in FINAL:  # the conversation went on without it
                assert row.state == "cancelled"
                gate.state = "cancelled"
            else:
                assert (row.state, row.events.count()) == (gate.state, 1 if gate.delivery != "none" else 0)

    @invariant()
    def every_event_has_had_its_one_turn_and_only_open_waits_have_timers(self) -> None:
        assert not self.conversation.events.exclude(state="done").exists()
        due = list(self.conversation.timers.filter(fired_at=None).values_list("due_at", flat=True))
        assert due == ([self.model.due] if self.model.due is not None else [])

    def relation(self, part: Part) -> str:
        """Where a part stands beside the one whose round is open."""
        opened = self.model.open_part
        if part is opened:
            return "this one"
        is_earlier = opened is None or self.model.parts.index(part) < self.model.parts.index(opened)
        return "an earlier one" if is_earlier else "a later one"

    def open_part(self) -> Part:
        part = self.model.open_part
        assert part is not None
        return part

    def says(self, *commands: c.Command) -> None:
        self.sent += 1
        self.nlu.expect(commands)
        accept(self.conversation.pk, Incoming("message", f"m{self.sent}", {"text": "…"}, text="…"))
        self.run()
        self.nlu.forget()

    def run(self) -> None:
        asyncio.run(drain(self.conversation.pk, ports=Ports(nlu=lambda assistant: self.nlu)))

    def visit(self, cell: str) -> None:
        VISITED[f"loop: {cell}"] += 1


def play_loops(examples: int, steps: int, chance: int) -> None:
    """So many conversations of so many steps; raises with the shortest one that differs from the model."""
    story = settings(
        max_examples=examples,
        stateful_step_count=steps,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(chance)(Deliveries), settings=story)
