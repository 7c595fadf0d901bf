"""Talks at random: whatever is said and decided, in whatever order, the promises about pauses and messages hold."""

import json
import random
from collections import Counter
from typing import Any

import pytest

from dialogue.engine.ports import events
from dialogue.engine.ports.hitl import Completed, Expired
from dialogue.engine.stack.stack import root_frames
from tests.engine.stack.test_handoff import STEP
from tests.engine.steps.test_control import CHILD, LOOP, PARENT
from tests.support.engine.dialogue_harness import Talk, assistant_of
from tests.support.engine.sample_flows import ACTIONS, NAME, PING, REFUND, STUBS, TRIP

ASSISTANT = assistant_of(TRIP, PING, NAME, REFUND, LOOP, PARENT, CHILD, STEP, head=ACTIONS)
FLOWS = [*ASSISTANT.flows, "nowhere"]
VALUES: dict[str, list[Any]] = {
    "city": ["Rome", "Oslo", ""],
    "nights": [2, "3", 99, "many"],
    "class": ["economy", "business", "first"],
    "lounge": [True, False, "yes"],
    "seat": ["4A", "5B"],
    "note": ["quiet", ""],
    "amount": [5, 20, "x"],
    "reason": ["late", "broken"],
    "name": ["Ursula"],
    "item": ["tea", "milk"],
    "more": [True, False],
    "place": ["Rome", "Bern"],
    "kind": ["Dentist"],
    "topic": ["tax"],
    "nothing": [1],
}
PLAIN = ["affirm", "affirm", "deny", "cancel_flow", "repeat", "chitchat", "cannot_handle", "restart", "handoff"]


def _command(dice: random.Random) -> Any:
    slot = dice.choice(list(VALUES))
    value = {slot: dice.choice(VALUES[slot])}
    flow = dice.choice(FLOWS)
    made = [
        {"start_flow": flow},
        {"set_slot": value},
        {"set_slot": value},
        {"correct_slot": value},
        {"clear_slot": slot},
        {"skip_slot": slot},
        {"cancel_flow": flow},
        {"resume_flow": flow},
        {"clarify": [flow, dice.choice(FLOWS)]},
        {"digress": {"kind": dice.choice(["question", "clarification", "help", "status"]), "topic": slot}},
    ]
    return dice.choice([*made, *made, dice.choice(PLAIN)])


async def _turn(talk: Talk, dice: random.Random) -> None:
    staff = [each for each in talk.last.tasks if each.audience == "staff"] if talk.last else []
    chance = dice.random()
    if staff and chance < 0.3:
        return await _staff(talk, dice, dice.choice(staff))
    if talk.last and chance < 0.4:
        button = next((each.buttons[-1].value for each in talk.last.messages if each.buttons), "yes")
        await talk.chooses(button)
    elif chance < 0.45:
        await talk.says("" if chance < 0.42 else "x" * 5000)
    else:
        await talk.does(*(_command(dice) for _ in range(dice.choice([1, 1, 2, 3]))))


async def _staff(talk: Talk, dice: random.Random, task: Any) -> None:
    if task.kind == "handoff" and dice.random() < 0.8:
        await talk.feed(events.hand_back(f"b{dice.random()}", "Olga"))
        return
    late = dice.random() < 0.3
    talk.desk.decided[task.key] = Expired() if late else Completed(selected_handle="approve")
    made = events.expiry if late else events.decision
    await talk.feed(made(f"d{dice.random()}", "s", task.key))


def _check(talk: Talk, before: set[str], gone: set[str]) -> set[str]:
    outcome = talk.outcome
    opened, settled = {each.key for each in outcome.tasks}, [each.task_key for each in outcome.settled]
    assert len(opened) == len(outcome.tasks)
    assert max(Counter(settled).values(), default=0) <= 1
    assert before - opened <= set(settled)
    assert not opened & (gone | set(settled))
    gone |= set(settled)
    assert all("{" not in each.text and "}" not in each.text for each in outcome.messages)
    assert all(each.text.strip() or not each.text for each in outcome.messages)
    _check_prompt(talk)
    assert len(root_frames(outcome.state["frames"])) <= talk.assistant.settings.max_depth
    assert len(json.dumps(outcome.state)) < 20_000
    assert [each.ordinal for each in outcome.messages] == list(range(len(outcome.messages)))
    assert talk.sink.messages == list(outcome.messages)  # what was sent is never changed afterwards
    return opened


def _check_prompt(talk: Talk) -> None:
    """What the user is asked for is asked once and last; a person in the chat silences the bot."""
    awaited = talk.outcome.awaited
    if awaited is None or awaited.audience == "staff" or talk.outcome.record["orphaned"]:
        return
    prompts = [each for each in talk.outcome.messages if each.text == awaited.message]
    assert prompts
    assert prompts[-1] is talk.outcome.messages[-1]
    asked = [key for key in talk.keys if key.split(":")[0] in ("ask", "confirm", "ask_change", "offer_resume")]
    assert len(asked) <= 1


@pytest.mark.parametrize("resume", ["auto", "ask"])
@pytest.mark.parametrize("seed", range(25))
async def test_every_pause_is_opened_once_settled_once_and_asked_for_last(seed: int, resume: str):
    dice = random.Random(seed)
    talk = Talk(ASSISTANT, STUBS, resume=resume)
    before: set[str] = set()
    gone: set[str] = set()
    for _ in range(25):
        calls = len(talk.actions.inputs_of("book"))
        confirming = talk.last is not None and any(each.kind == "confirm" for each in talk.last.tasks)
        await _turn(talk, dice)
        before = _check(talk, before, gone)
        assert confirming or len(talk.actions.inputs_of("book")) == calls
