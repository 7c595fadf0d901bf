"""Stories by chance of a flow with a question, two waits and their timers, told by the rows and by a plain model."""

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from dialogue.audit.invariants import count_violations
from dialogue.models import Conversation, Message, Timer
from dialogue.sweep import sweep
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.compiled_releases import forget_releases
from dialogue.turns.process.database import in_thread
from dialogue.turns.waiting.reports import report_event
from dialogue.turns.waiting.timers import fire_due
from dialogue.turns.worker import drain
from tests.support.releases import publish

pytestmark = pytest.mark.django_db(transaction=True)
NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
FLOWS = {
    "assistant.yaml": "version: 1\nassistant: story\ntitle: Story\nevents: {arrived: {}}\n",
    "errand.yaml": """flow: errand
title: an errand
description: Runs an errand.
examples: [run an errand]
slots: {place: {type: text, prompt: Where?}}
steps:
  - {step: ask, type: collect, slot: place, reminder: {after: 1h, message: Where to?}, timeout: 1d, on_timeout: quit}
  - {step: pause, type: wait, for: 2h, message: Wait.}
  - {step: half, type: say, message: Half way.}
  - {step: arrival, type: wait, event: arrived, timeout: 3h, on_timeout: lost}
  - {step: done, type: say, message: Done., next: end}
  - {step: lost, type: say, message: Lost., next: end}
  - {step: quit, type: say, message: Quit.}
""",
}
TIMERS = {"ask": 2, "pause": 1, "arrival": 1, "": 0}
OPERATIONS = ("begin", "answer", "arrives", "clock", "clock", "clock", "sweep twice", "restart", "cancel")


@dataclass
class Model:
    """What must be so: the step that waits, since when, and how often each line was said."""

    now: datetime = NOON
    step: str = ""
    since: datetime = NOON
    reminded: bool = False
    said: list[str] = field(default_factory=list)

    def enter(self, step: str, line: str = "") -> None:
        self.step, self.since, self.reminded = step, self.now, False
        self.said += [line] if line else []

    def act(self, operation: str) -> None:
        match operation, self.step:
            case "begin", "":
                self.enter("ask")
            case "answer", "ask":
                self.enter("pause", "Wait.")
            case "arrives", "arrival":
                self.enter("", "Done.")
            case "cancel", _:
                self.enter("")
            case _:
                pass  # the step does not react to it

    def pass_time(self, by: timedelta) -> None:
        """One sweep after the clock has moved: each pause ends at most once in it, at the time of the sweep."""
        self.now += by
        age = self.now - self.since
        if self.step == "ask" and age >= timedelta(hours=1) and not self.reminded:
            self.said.append("Where to?")
            self.reminded = True
        if self.step == "ask" and age >= timedelta(days=1):
            self.enter("", "Quit.")
        elif self.step == "pause" and age >= timedelta(hours=2):
            self.enter("arrival", "Half way.")
        elif self.step == "arrival" and age >= timedelta(hours=3):
            self.enter("", "Lost.")

    @property
    def open_timers(self) -> int:
        return TIMERS[self.step] - self.reminded


@in_thread
def _opened() -> Conversation:
    publish(FLOWS)
    return open_conversation("story")[0]


@in_thread
def _report(conversation: Conversation, client_id: str) -> None:
    report_event(
        Conversation.objects.select_related("assistant", "release").get(pk=conversation.pk), "arrived", {}, client_id
    )


async def _say(conversation: Conversation, number: int, text: str) -> None:
    await in_thread(accept)(conversation.pk, Incoming("message", f"m{number}", {"text": text}, text=text))


async def _act(conversation: Conversation, operation: str, number: int, step: str) -> None:
    if operation == "begin" and not step:
        await _say(conversation, number, "run an errand")
    elif operation == "answer" and step == "ask":
        await _say(conversation, number, "Rome")
    elif operation == "arrives":
        await _report(conversation, f"r{number}")
    elif operation == "cancel" and step:
        await _say(conversation, number, "cancel")
    elif operation == "restart":
        forget_releases()
    elif operation == "sweep twice":
        await in_thread(fire_due)()
        await sweep()
    await drain(conversation.pk)


@pytest.mark.parametrize("seed", range(8))
async def test_rows_and_model_agree_after_every_step(seed: int) -> None:
    dice, model = random.Random(seed), Model()
    with clock.frozen(NOON) as hour:
        conversation = await _opened()
        for number in range(30):
            operation = dice.choice(OPERATIONS)
            if operation == "clock":
                by = timedelta(minutes=dice.choice((20, 60, 119, 121, 185, 1500)))
                hour.advance(by)
                await sweep()
                model.pass_time(by)
            else:
                await _act(conversation, operation, number, model.step)
                model.act(operation)
            await _compare(conversation, model, f"seed {seed}, step {number}: {operation}")
        assert [found for found in await in_thread(count_violations)() if found[1]] == []


async def _compare(conversation: Conversation, model: Model, where: str) -> None:
    own = {"Where to?", "Wait.", "Half way.", "Done.", "Lost.", "Quit."}
    rows = Message.objects.filter(conversation=conversation, role="assistant").order_by("seq")
    said = [row.text async for row in rows if row.text in own]
    await conversation.arefresh_from_db()
    steps = [entry["step"] for entry in conversation.stack]
    assert (said, steps) == (model.said, [model.step] if model.step else []), where
    assert await Timer.objects.filter(fired_at=None).acount() == model.open_timers, where
