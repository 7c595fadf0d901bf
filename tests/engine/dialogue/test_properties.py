"""Properties of every conversation, tried on assistants and conversations made by chance.

The normal run is small and always the same; `python -m campaigns properties` tries many more.
"""

import asyncio
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue.engine.language.compiler import Assistant, Slot
from dialogue.engine.ports import commands
from dialogue.engine.stack.loops.item_values import loop_of_slot
from dialogue.engine.stack.loops.rounds import stored_rounds
from dialogue.engine.stack.state import Memory, StoredSlot
from tests.support.engine.dialogue_harness import Talk
from tests.support.engine.random_flows import CALM, STUBS, assistants, entries_of, values_of
from tests.support.engine.random_talks import beginning, check, happenings, restarted, take, turns

SMALL = settings(max_examples=12, deadline=None, database=None, derandomize=True)
SEEN: Counter[str] = Counter()
"""Of all conversations of this run: turns, restarts, corrections, …"""


async def talk_and_check(data: st.DataObject, longest: int = 14) -> None:
    """A conversation of chance; after each turn everything that must hold is looked at."""
    assistant = data.draw(assistants())
    talk = Talk(assistant, STUBS)
    answered, wild = data.draw(st.integers(0, 12)), data.draw(st.integers(3, longest))
    for made in [beginning] * answered + [turns] * wild:
        turn = data.draw(made(assistant, talk.last))
        before = talk.last.state if talk.last else None
        if await take(talk, turn):
            check(assistant, before, talk.outcome)
            SEEN["turns"] += 1
            SEEN.update(happenings(talk.outcome))
            SEEN[talk.outcome.explicit] += 1


async def talk_and_restart(data: st.DataObject, longest: int = 10) -> None:
    """The same conversation twice, once with a new process before every turn."""
    assistant = data.draw(assistants())
    steady, broken = Talk(assistant, STUBS), Talk(assistant, STUBS)
    answered, wild = data.draw(st.integers(0, 6)), data.draw(st.integers(2, longest))
    for made in [beginning] * answered + [turns] * wild:
        turn = data.draw(made(assistant, steady.last))
        broken = await restarted(broken)
        if await take(steady, turn):
            await take(broken, turn)
            assert broken.outcome.messages == steady.outcome.messages
            assert broken.outcome.state == steady.outcome.state
            assert broken.outcome.tasks == steady.outcome.tasks
            SEEN["restarts"] += 1
            SEEN.update(happenings(steady.outcome))


async def correct_and_compare(data: st.DataObject) -> None:
    """Somebody who says a thing wrong and mends it ends where somebody ends who said it right at once."""
    assistant = data.draw(assistants(CALM))
    meant = _meant_values(data, assistant)
    wrong = data.draw(st.sampled_from(sorted(meant)))
    others = [each for each in values_of(_all_slots(assistant)[wrong]) if each != meant[wrong]]
    slip = data.draw(st.sampled_from(others))
    right, mended = Talk(assistant, STUBS), Talk(assistant, STUBS)

    await _answer(right, meant, "f0")
    await _answer(mended, {**meant, wrong: slip}, "f0", until=data.draw(st.integers(1, 12)))
    before = mended.outcome.state
    if not _was_said(before, wrong, slip):
        return
    await mended.does(*_corrections(assistant, before, wrong, meant[wrong]))
    check(assistant, before, mended.outcome)
    await _answer(mended, meant)

    assert mended.stack == right.stack
    assert _values(mended) == _values(right)
    assert not right.stack or mended.texts[-1] == right.texts[-1]
    SEEN["corrections"] += 1


async def extend_and_compare(data: st.DataObject) -> None:
    """Somebody who says a list in pieces, with a piece too many, ends where somebody ends who said it at once."""
    assistant = data.draw(assistants(CALM))
    meant = _meant_values(data, assistant)
    lists = {name: slot for name, slot in _all_slots(assistant).items() if slot.type == "list" and len(meant[name]) > 1}
    if not lists:
        return
    name = data.draw(st.sampled_from(sorted(lists)))
    spare = [entry for entry in entries_of(lists[name]) if entry not in meant[name]]
    pieces: list[Any] = [commands.AddValues(name, tuple(meant[name][1:]))]
    pieces += [piece(name, (entry,)) for piece in (commands.AddValues, commands.RemoveValues) for entry in spare]
    right, mended = Talk(assistant, STUBS), Talk(assistant, STUBS)

    await _answer(right, meant, "f0")
    await _answer(mended, {**meant, name: meant[name][:1]}, "f0", until=data.draw(st.integers(1, 12)))
    if not _was_said(mended.outcome.state, name, meant[name][:1]):
        return
    for command in pieces:
        before = mended.outcome.state
        await mended.does(command)
        check(assistant, before, mended.outcome)
    await _answer(mended, meant)

    assert mended.stack == right.stack
    assert _values(mended) == _values(right)
    assert not right.stack or mended.texts[-1] == right.texts[-1]
    SEEN["lists in pieces"] += 1


def _meant_values(data: st.DataObject, assistant: Assistant) -> dict[str, Any]:
    """What somebody means by every slot."""
    return {name: data.draw(st.sampled_from(values_of(slot))) for name, slot in _all_slots(assistant).items()}


def _all_slots(assistant: Assistant) -> dict[str, Slot]:
    return {name: slot for flow in assistant.flows.values() for name, slot in flow.slots.items()}


async def _answer(talk: Talk, meant: dict[str, object], flow: str = "", until: int = 40) -> None:
    """Answer what is asked, until the last question of the flow, or for so many turns."""
    if flow:
        await talk.does(commands.StartFlow(flow))
    for _ in range(until):
        awaited = talk.outcome.awaited
        if awaited is None or _is_last(talk):
            return
        slot = getattr(awaited, "slot", "")
        await talk.does(commands.SetSlot(slot, meant[slot]) if slot else commands.Affirm())


def _is_last(talk: Talk) -> bool:
    """Whether the conversation stands at the confirmation at the end of the flow that was asked for."""
    return [each["flow"] for each in talk.outcome.stack] == ["f0"] and talk.stack == ["f0!confirm"]


def _was_said(memory: Memory, name: str, value: object) -> bool:
    """Whether the user said it; what a flow sets by itself nobody has to mend."""
    stored = [each["slots"][name] for each in memory["frames"] if name in each["slots"]]
    stored += [each[name] for each in _slots_of_rounds(memory) if name in each]
    return any(each["source"] == "user" and each["value"] == value for each in stored)


def _slots_of_rounds(memory: Memory) -> list[dict[str, StoredSlot]]:
    states = [state for frame in memory["frames"] for state in frame.get("rounds", {}).values()]
    return [stored.get("slots", {}) for state in states for _index, stored in stored_rounds(state)]


def _corrections(assistant: Assistant, memory: Memory, name: str, value: object) -> list[commands.CorrectSlot]:
    """The correction of a slot; of one that belongs to the rounds of a loop, for each of its entries."""
    for frame in memory["frames"]:
        loop = loop_of_slot(assistant.flows[frame["flow"]], name)
        state = frame.get("rounds", {}).get(loop.step) if loop else None
        if state is not None:
            SEEN["rounds"] += len(state["entries"])
            return [commands.CorrectSlot(name, value, item=number + 1) for number in range(len(state["entries"]))]
    return [commands.CorrectSlot(name, value)]


def _values(talk: Talk) -> list[dict[str, object]]:
    return [{name: each["value"] for name, each in frame["slots"].items()} for frame in talk.outcome.stack]


@SMALL
@given(st.data())
def test_whatever_is_said_the_stack_holds_and_nobody_reads_a_placeholder(data):
    asyncio.run(talk_and_check(data))


@SMALL
@given(st.data())
def test_a_restart_before_every_turn_changes_nothing(data):
    asyncio.run(talk_and_restart(data))


@SMALL
@given(st.data())
def test_what_is_corrected_is_as_if_it_had_been_said_right_at_once(data):
    asyncio.run(correct_and_compare(data))


@SMALL
@given(st.data())
def test_a_list_that_is_said_in_pieces_is_as_if_it_had_been_said_at_once(data):
    asyncio.run(extend_and_compare(data))
