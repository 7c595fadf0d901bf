"""Conversations made by chance with assistants made by chance, and what must hold in every one of them."""

import json
import re
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from dialogue.engine.graph import TurnOutcome
from dialogue.engine.language.compiler import Assistant, Slot
from dialogue.engine.ports import commands as c
from dialogue.engine.ports import events
from dialogue.engine.ports.hitl import Completed, Expired
from dialogue.engine.ports.tasks import CollectTask
from dialogue.engine.slots.file_values import file_slot_of
from dialogue.engine.stack import stack
from dialogue.engine.stack.pending import prompt_key
from dialogue.engine.stack.state import Frame, Memory, wait_key
from dialogue.engine.steps.for_each import MAX_ROUNDS_PER_TURN
from tests.support.engine.compiled import COMPILED
from tests.support.engine.dialogue_harness import Talk
from tests.support.engine.random_flows import STUBS, VALUES, entries_of, values_of

PLACEHOLDER = re.compile(r"\{[a-z_.|]*\}|Traceback|set_slot|start_flow|cancel_flow|<[a-z_]+ object")
_ODD_VALUES = (
    "", "purple", -1, 12, 2**70, "x" * 50, None, "3", "yes", "no", "the lamp", "the second", "more:2", "none_of_these",
)  # fmt: skip
_DIGRESSIONS: tuple[c.DigressionKind, ...] = ("question", "clarification", "help", "status")
_TOPICS = ("", "common", "opening_hours", "f0_s0")
TOO_LARGE = {**VALUES["file"][0], "size": 2**40}
_ITEMS = (1, 2, 3, "a", "the second one", "nowhere")
CONFIG: Any = {"configurable": {"thread_id": "c1"}}


@st.composite
def commands(draw: st.DrawFn, assistant: Assistant, before: TurnOutcome | None = None) -> c.Command:
    """Any command, mostly about what there is."""
    flow = draw(st.sampled_from([*_flows(assistant), *assistant.flows, "unheard_of"]))
    slots = _slots(assistant, before)
    slot = draw(st.sampled_from([*slots, *slots, "common", "unheard_of"]))
    odd = [*(value for values in VALUES.values() for value in values), *_ODD_VALUES]
    value = draw(st.one_of(st.sampled_from(values_of(slots[slot]) if slot in slots else odd), st.sampled_from(odd)))
    made: list[c.Command] = [
        c.StartFlow(flow), c.SetSlot(slot, value), c.SetSlot(slot, value), c.SetSlot(slot, value),
        c.CorrectSlot(slot, value), c.SetSlot(slot, value, item=draw(st.sampled_from(_ITEMS))), c.SkipItem(),
        c.CorrectSlot(slot, value, item=draw(st.sampled_from(_ITEMS))),
        c.Narrow(slot, ("red", "blue")), c.ClearSlot(slot), c.SkipSlot(slot), c.Affirm(), c.Affirm(), c.Deny(),
        c.CancelFlow(flow), c.CancelFlow(), c.ResumeFlow(flow), c.Clarify((flow, "f0")), c.Chitchat(), c.Repeat(),
        c.Digress(draw(st.sampled_from(_DIGRESSIONS)), draw(st.sampled_from(_TOPICS))),
        c.Restart(), c.CannotHandle(), *draw(_about_lists(assistant, before)),
    ]  # fmt: skip
    return draw(st.sampled_from(made))


def _flows(assistant: Assistant) -> list[str]:
    """The flows that users can start; the first one calls others."""
    return sorted(name for name, flow in assistant.flows.items() if flow.start)


def _slots(assistant: Assistant, before: TurnOutcome | None) -> dict[str, Slot]:
    """The slots of the flows that are there, or of all."""
    present = {frame["flow"] for frame in before.state["frames"]} if before else set()
    flows = [flow for name, flow in assistant.flows.items() if name in present] or assistant.flows.values()
    return {name: slot for flow in flows for name, slot in flow.slots.items()}


@st.composite
def _about_lists(draw: st.DrawFn, assistant: Assistant, before: TurnOutcome | None) -> list[c.Command]:
    """Values come to a list, leave it, and all leave it; now and then what is meant is no list, or no value of one."""
    lists = {name: slot for name, slot in _slots(assistant, before).items() if slot.type == "list"}
    name = draw(st.sampled_from([*lists, *lists, "common"]))
    entries = entries_of(lists[name]) if name in lists else (1, 2)
    values = draw(st.lists(st.sampled_from([*entries, *entries, "nowhere"]), max_size=3))
    stored = _stored_values(before, name)
    present = draw(st.lists(st.sampled_from(stored[-1]), max_size=2)) if stored and stored[-1] else values
    return [c.AddValues(name, tuple(values)), c.RemoveValues(name, tuple(present)), c.ClearSlot(name)]


_KINDS = ("answer", "answer", "commands", "commands", "lists", "lists", "staff", "clock", "outside", "files", "rare")
_PLAIN: Mapping[str, st.SearchStrategy[dict[str, Any]]] = {
    "staff": st.sampled_from([{"staff": answer} for answer in ("approve", "refuse", "expire")]),
    "outside": st.sampled_from([{"event": payload} for payload in ({"count": 3}, {}, {"count": "many"})]),
    "files": st.lists(st.sampled_from([*VALUES["file"], TOO_LARGE]), min_size=1, max_size=2).map(
        lambda files: {"files": files}
    ),
    "rare": st.sampled_from([{"text": ""}, {"hand_over": True}, {"choose": "yes"}, {"choose": "red"}]),
}


def _stored_values(before: TurnOutcome | None, name: str) -> list[Any]:
    frames = before.state["frames"] if before else []
    return [frame["slots"][name]["value"] for frame in frames if name in frame["slots"]]


@st.composite
def beginning(draw: st.DrawFn, assistant: Assistant, before: TurnOutcome | None) -> dict[str, Any]:
    """A flow is started, and what it asks is answered."""
    if before is None or not before.stack:
        return {"commands": [c.StartFlow(draw(st.sampled_from(_flows(assistant))))]}
    return draw(_answers(assistant, before))


@st.composite
def turns(draw: st.DrawFn, assistant: Assistant, before: TurnOutcome | None) -> dict[str, Any]:
    """What happens next: mostly the answer that is awaited, else anything at all."""
    kind = draw(st.sampled_from([*_KINDS, *_awaited_kinds(before)])) if before and before.stack else "start"
    match kind:
        case "start":
            return {"commands": [c.StartFlow(draw(st.sampled_from(_flows(assistant))))]}
        case "answer":
            return draw(_answers(assistant, before))
        case "lists":
            about = draw(_about_lists(assistant, before))
            return {"commands": draw(st.lists(st.sampled_from(about), min_size=1, max_size=3))}
        case "clock":
            return {"timer": draw(st.sampled_from([*_timers(before) * 3, "due", "reminder", "timeout"]))}
        case "round" if before:
            return {"commands": [draw(_about_a_round(assistant, before))]}
        case "commands":
            several = st.lists(commands(assistant, before), min_size=1, max_size=4)
            return {"commands": draw(st.one_of(several, several, _several_runs(assistant)))}
        case _:
            return draw(_PLAIN[kind])


def _timers(before: TurnOutcome | None) -> list[str]:
    """The names of the timers that are set."""
    frames = before.state["frames"] if before else []
    return sorted({name for frame in frames for name in frame.get("wait", {}).get("timers", {})})


def _awaited_kinds(before: TurnOutcome | None) -> list[str]:
    """What can happen to the flows that are there, so that it does not happen only where it means nothing."""
    frames = before.state["frames"] if before else []
    waits = [frame["wait"] for frame in frames if "wait" in frame]
    kinds = ["clock"] * any("timers" in wait for wait in waits) + ["outside"] * 2 * any(
        "event" in wait for wait in waits
    )
    return kinds + ["round", "round"] * any("rounds" in frame for frame in frames)


@st.composite
def _about_a_round(draw: st.DrawFn, assistant: Assistant, before: TurnOutcome) -> c.Command:
    """One entry of a loop is skipped, or another value is said for one of them."""
    flows = [assistant.flows[frame["flow"]] for frame in before.state["frames"] if "rounds" in frame]
    names = [name for flow in flows for name in flow.slots if name.endswith("_p")]
    value, item = draw(st.sampled_from([*VALUES["integer"], 12])), draw(st.sampled_from(_ITEMS))
    commands: list[c.Command] = [c.SkipItem(), *(c.CorrectSlot(name, value, item=item) for name in names)]
    return draw(st.sampled_from(commands))


@st.composite
def _several_runs(draw: st.DrawFn, assistant: Assistant) -> list[c.Command]:
    """The same flow once for each of two values."""
    flow = draw(st.sampled_from([flow for flow in assistant.flows.values() if flow.slots]))
    slot = next(iter(flow.slots.values()))
    values = draw(st.lists(st.sampled_from(values_of(slot)), min_size=2, max_size=2))
    return [command for value in values for command in (c.StartFlow(flow.flow), c.SetSlot(slot.name, value))]


@st.composite
def _answers(draw: st.DrawFn, assistant: Assistant, before: TurnOutcome | None) -> dict[str, Any]:
    awaited = before.awaited if before else None
    wait = before.state["frames"][-1].get("wait") if before and before.state["frames"] else None
    if wait and wait["kind"] == "human":
        return {"staff": "approve"}
    if wait and wait["kind"] == "wait":
        return {"event": {"count": 3}} if "event" in wait else {"timer": "due"}
    if not isinstance(awaited, CollectTask):
        return {"commands": [draw(st.sampled_from([c.Affirm(), c.Affirm(), c.Deny()]))]}
    slot = assistant.slot(awaited.flow, awaited.slot)
    assert slot is not None
    value = draw(st.sampled_from(values_of(slot)))
    if value and file_slot_of(slot):
        return {"files": value if isinstance(value, list) else [value]}
    return {"commands": [c.SetSlot(awaited.slot, value)]}


async def take(talk: Talk, turn: dict[str, Any]) -> bool:
    """Let the turn happen, if it can happen now."""
    if "staff" in turn:
        return await _decide(talk, turn["staff"])
    if "timer" in turn:
        return await _fire(talk, turn["timer"])
    if "event" in turn:
        await talk.feed(events.signal(talk._id(), "arrived", turn["event"]))
        return True
    if "files" in turn:
        await talk.feed(events.file(talk._id(), turn["files"]))
        return True
    if talk.last and "handoff" in talk.last.state:
        await talk.feed({"kind": "hand_back", "id": talk._id(), "by": "Olga"})
    elif "hand_over" in turn:
        await talk.does(c.HandOff("asked"))
    elif "choose" in turn:
        await talk.chooses(turn["choose"])
    else:
        await talk.says(turn.get("text", "…"), *turn.get("commands", ()))
    return True


async def _fire(talk: Talk, name: str) -> bool:
    """Let a timer of this name be due: of an open pause, or else one of a pause that never was."""
    frames = talk.last.state["frames"] if talk.last else []
    waits = [(frame, frame["wait"]) for frame in frames if name in frame.get("wait", {}).get("timers", {})]
    task = wait_key(*waits[-1]) if waits else "f0-1/f0_t0/99"
    await talk.feed(events.timer(talk._id(), task, name))
    return True


async def _decide(talk: Talk, what: str) -> bool:
    waiting = [each for each in talk.last.tasks if each.kind == "human"] if talk.last else []
    if not waiting:
        return False
    task = waiting[-1]
    talk.desk.decided[task.key] = Expired() if what == "expire" else Completed(selected_handle=what, inputs={})
    made = events.expiry if what == "expire" else events.decision
    await talk.feed(made(talk._id(), f"session of {task.key}", task.key))
    return True


def check(assistant: Assistant, before: Memory | None, after: TurnOutcome) -> None:
    """What holds after every turn."""
    check_stack(assistant, after.state)
    check_pauses(before, after)
    check_texts(after)
    check_slots_are_own(before, after.state)
    # Each round of a loop over a list may run as many steps as a turn.
    rounds = MAX_ROUNDS_PER_TURN if any(flow.has_rounds for flow in assistant.flows.values()) else 0
    limit = assistant.settings.max_steps_per_turn * (1 + rounds)
    assert len(after.record["steps"]) <= limit + len(after.state["frames"]) + 1
    check_rounds(assistant, after.state)
    assert json.loads(json.dumps(after.state)) == after.state


def check_rounds(assistant: Assistant, memory: Memory) -> None:
    """Every round is kept once, the open one is the first that is left, and what was gathered is in its list."""
    for frame in memory["frames"]:
        flow = assistant.flows[frame["flow"]]
        for loop_id, state in frame.get("rounds", {}).items():
            count = len(state["entries"])
            assert len(state["rounds"]) == count
            assert state["pending"] == sorted(set(state["pending"]))
            assert all(index < count for index in state["pending"])
            if state["open"]:
                assert state["at"] == state["pending"][0]
                assert flow.loop(loop_id).item in frame["slots"]
            assert all(len(values) == count for values in state["gathered"].values())
        if not any(state["open"] for state in frame.get("rounds", {}).values()):
            assert not flow.loop_items.keys() & frame["slots"].keys()


def check_stack(assistant: Assistant, memory: Memory) -> None:
    """Frames are known and unique, callers stand right below what they called, and only the top one runs."""
    frames = memory["frames"]
    ids = [each["id"] for each in frames]
    assert len(set(ids)) == len(ids)
    assert len(stack.root_frames(frames)) <= assistant.settings.max_depth
    begun = [each["flow"] for each in stack.root_frames(frames) if each["status"] != "planned"]
    assert len(set(begun)) == len(begun), "a twin"
    for place, frame in enumerate(frames):
        assert assistant.flows[frame["flow"]].has_step(frame["step"])
        _check_frame(frames, place, frame)


def _check_frame(frames: list[Frame], place: int, frame: Frame) -> None:
    above = frames[place + 1] if place + 1 < len(frames) else None
    calls = above is not None and above.get("caller", {}).get("frame") == frame["id"]
    assert (frame["status"] == "calling") == calls, frame
    assert frame["status"] != "active" or above is None, frame
    assert (frame["status"] == "parked") == (frame.get("wait", {}).get("kind") in ("human", "wait")), frame
    if "caller" in frame:
        assert place > 0 and frames[place - 1]["id"] == frame["caller"]["frame"]


def check_pauses(before: Memory | None, after: TurnOutcome) -> None:
    """Something is awaited while a flow is there, each pause is one, and what the user is asked is said last."""
    keys = [each.key for each in after.tasks]
    assert len(set(keys)) == len(keys)
    assert not {each.task_key for each in after.settled} & set(keys)
    assert after.awaited is not None or not after.stack
    assert (after.status == "waiting") == bool(after.tasks)
    if before and "handoff" in before and after.record["event"] in ("timer", "signal"):
        assert not after.messages  # a person has the chat: what follows is said when it is handed back
        return
    if after.record["event"] in ("timer", "signal") and not after.messages:
        # Nothing waited for it, so nothing changes; or the flow ends, or waits for something else that is not the user.
        assert not after.settled or after.awaited is None or after.awaited.audience != "user"
        return
    if after.awaited is not None and after.awaited.audience == "user" and "handoff" not in after.state:
        key = ":".join(filter(None, prompt_key(after.awaited)))
        assert [each.key for each in after.messages][-1] == key


def check_texts(after: TurnOutcome) -> None:
    """Nobody reads a placeholder, a command's name or a stack trace; nobody who wrote is left without an answer."""
    for message in after.messages:
        for text in (message.text, *(each.label for each in message.buttons)):
            assert not PLACEHOLDER.search(text), text
            assert text.strip() or message.key.startswith("say:")
    assert [each.ordinal for each in after.messages] == list(range(len(after.messages)))


def check_slots_are_own(before: Memory | None, after: Memory) -> None:
    """A run of a flow begins with nothing of an earlier run."""
    known = {each["id"] for each in before["frames"]} if before else set()
    for frame in after["frames"]:
        if frame["id"] not in known:
            assert all(each["turn"] == after["turn"] for each in frame["slots"].values()), frame


async def restarted(talk: Talk) -> Talk:
    """The same conversation in a new process: nothing is left but what the saver wrote down."""
    COMPILED.clear()
    twin = Talk(talk.assistant, STUBS)
    twin.desk, twin.actions, twin.last, twin._count = talk.desk, talk.actions, talk.last, talk._count
    twin.saver = await _copied(talk.saver)
    return twin


async def _copied(saver: InMemorySaver) -> InMemorySaver:
    copy = InMemorySaver()
    stored = await saver.aget_tuple(CONFIG)
    if stored is None:
        return copy
    write, read = copy.serde.dumps_typed, copy.serde.loads_typed
    checkpoint, metadata = read(write(stored.checkpoint)), read(write(stored.metadata))
    config: Any = {"configurable": {"thread_id": "c1", "checkpoint_ns": ""}}
    kept = await copy.aput(config, checkpoint, metadata, checkpoint["channel_versions"])
    for task, channel, value in stored.pending_writes or ():
        await copy.aput_writes(kept, [(channel, read(write(value)))], task)
    return copy


_LISTS, _ROUNDS = ("add_values", "remove_values", "clear_slot"), ("skip_item", "corrected item")


def happenings(after: TurnOutcome) -> list[str]:
    """What a campaign must have seen: commands that were carried out, and what came from outside and was awaited."""
    record = after.record
    dropped = [json.dumps(entry["command"]) for entry in record["dropped"]]
    plain = [command for command in record["proposed"] if json.dumps(command) not in dropped]
    named = [command if isinstance(command, str) else next(iter(command)) for command in plain]
    named += ["corrected item"] * any("item" in change for change in record["slots"])
    named += ["awaited event"] * bool(record.get("signal", {}).get("awaited"))
    named += ["timer"] * (record["event"] == "timer" and bool(after.settled or record["messages"]))
    named += ["file"] * (record["event"] == "file" and bool(record["slots"]))
    groups = {"lists changed": _LISTS, "rounds changed": _ROUNDS, "waits ended": ("awaited event", "timer")}
    return [*named, *(group for group, names in groups.items() if set(names) & set(named))]
