"""Rounds of `for_each` loops: what a round did and collected is put away when it ends, and taken back to repeat it.

The path of a frame has the steps of the open round only. A round that ended, or that a correction put aside, is kept as
one text, so that a turn costs the same however many rounds there were. To repeat a round, its steps become steps to go
over again (`again`): as after any correction, those that read nothing new are passed over silently.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dialogue.engine.language.compiler import Flow, ForEach
from dialogue.engine.language.steps import CONTINUE
from dialogue.engine.slots.display import display_or_redact, format_value
from dialogue.engine.stack.state import Frame, LoopState, PathStep, StoredRound
from dialogue.engine.stack.turn import Turn

_PARTS_BY_STEP = ("results", "result_labels", "bound", "loops", "rounds")
_PARTS_BY_SLOT = ("drafts", "mentions")


def compact_json(value: Any) -> str:
    """Return plain JSON as text, always the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def loop_state(frame: Frame, loop_id: str) -> LoopState | None:
    """Return the rounds of a `for_each`, or None if it has not begun."""
    return frame.get("rounds", {}).get(loop_id)


def open_loop(flow: Flow, frame: Frame) -> ForEach | None:
    """Return the innermost `for_each` whose round is open where the frame stands, or None."""
    rounds = frame.get("rounds")
    if not rounds:
        return None
    loops = (frame["step"], *flow.loops_around(frame["step"])) if flow.has_step(frame["step"]) else ()
    return next((flow.loop(loop_id) for loop_id in loops if loop_id in rounds and rounds[loop_id]["open"]), None)


def own_names(loop: ForEach) -> frozenset[str]:
    """Return the names that mean something else in each round: the item, and the slots of a round."""
    return frozenset({loop.item, *loop.per_item})


def item_position(turn: Turn, frame: Frame) -> dict[str, Any]:
    """Return `{item, item_label}` where the frame stands in a round: the entry's number, from 1, and its text.

    It is empty outside of loops. Sensitive fields are masked.
    """
    flow = turn.flow_of(frame)
    loop = open_loop(flow, frame) if flow.has_rounds else None
    if loop is None:
        return {}
    state = frame["rounds"][loop.step]
    return {"item": state["at"] + 1, "item_label": entry_label(turn, flow, loop, state, state["at"], masked=True)}


def entry_label(turn: Turn, flow: Flow, loop: ForEach, state: LoopState, index: int, *, masked: bool = False) -> str:
    """Return an entry as the user reads it; `masked` hides sensitive fields from other people."""
    slot, entry = flow.loop_items[loop.item], entry_value(state, index)
    show = display_or_redact if masked else format_value
    return show(slot, entry, language=turn.language, timezone=turn.context.timezone)


def target_in_loop(flow: Flow, frame: Frame, target: str) -> str:
    """Return the step that a target means where the frame stands. With `continue`, the open round gathers nothing."""
    step = flow.step(frame["step"])
    resolved = flow.resolve_target(step.step, target)
    if CONTINUE in (target, step.next) and resolved in flow.loops_around(step.step):
        frame["rounds"][resolved]["skip"] = True
    return resolved


def entry_value(state: LoopState, index: int) -> Any:
    """Return an entry as it is stored."""
    return json.loads(state["entries"][index])


def close_round(flow: Flow, frame: Frame, loop: ForEach, *, ended: bool) -> None:
    """Put away the open round of the loop, with the rounds of loops inside it; without `ended` it stays pending."""
    state, body = frame["rounds"][loop.step], frozenset(flow.steps_inside(loop.step))
    for inner in body & frame["rounds"].keys():
        if frame["rounds"][inner]["open"]:
            close_round(flow, frame, flow.loop(inner), ended=False)
    last_step = next((path_step["step"] for path_step in reversed(frame["path"]) if path_step["step"] in body), "")
    stored = _take_out(frame, loop, body)
    skipped = state.pop("skip", False)
    if skipped:
        stored["skipped"] = True
        stored["skipped_at"] = last_step
    _note_names(state, stored, own_names(loop) | body)
    state["rounds"][state["at"]] = compact_json(stored)
    state["open"] = False
    if ended:
        state["pending"].remove(state["at"])


def _take_out(frame: Frame, loop: ForEach, body: frozenset[str]) -> StoredRound:
    """Take the round's part out of the frame. What a correction left to go over again belongs to it too."""
    done = [path_step for path_step in frame["path"] if path_step["step"] in body]
    undone = [path_step for step, path_step in frame.get("again", {}).items() if step in body]
    frame["path"] = [path_step for path_step in frame["path"] if path_step["step"] not in body]
    for path_step in undone:
        del frame["again"][path_step["step"]]
    stored: Any = {"path": [*done, *undone]}
    stored["slots"] = {name: frame["slots"].pop(name) for name in loop.per_item if name in frame["slots"]}
    frame["slots"].pop(loop.item, None)
    holder: Any = frame
    for parts, names in ((_PARTS_BY_STEP, body), (_PARTS_BY_SLOT, frozenset(loop.per_item))):
        for part in parts:
            # The labels of results are kept by `<step>.<field>`, the other parts by step or slot.
            own = [name for name in holder.get(part, {}) if name.partition(".")[0] in names]
            stored[part] = {name: holder[part].pop(name) for name in sorted(own)}
            if part in _PARTS_BY_SLOT and holder.get(part) == {}:
                del holder[part]
    return {key: value for key, value in stored.items() if value}  # type: ignore[return-value]


def _note_names(state: LoopState, stored: StoredRound, inner_names: frozenset[str]) -> None:
    """Note which names from outside the loop the round read and wrote."""
    inner_states = stored.get("rounds", {}).values()
    read = {name for path_step in stored.get("path", ()) for name in path_step.get("reads", {})}
    wrote = {name for path_step in stored.get("path", ()) for name in path_step.get("wrote", ())}
    read.update(*(inner["reads"] for inner in inner_states))
    wrote.update(*(inner["wrote"] for inner in inner_states))
    state["reads"] = sorted({*state["reads"], *(name for name in read if name.split(".")[0] not in inner_names)})
    state["wrote"] = sorted({*state["wrote"], *(wrote - inner_names)})


def restore_round(frame: Frame, state: LoopState, index: int) -> bool:
    """Take a round back into the frame, its steps to be gone over again. Return whether it had begun before."""
    state["at"], state["open"] = index, True
    text = state["rounds"][index]
    if not text:
        return False
    stored: StoredRound = json.loads(text)
    steps = {path_step["step"]: path_step for path_step in stored.get("path", ())}
    if steps:
        frame["again"] = steps | frame.get("again", {})
    frame["slots"] |= stored.get("slots", {})
    holder: Any = frame
    for part in (*_PARTS_BY_STEP, *_PARTS_BY_SLOT):
        if part in stored:
            holder[part] = {**holder.get(part, {}), **stored[part]}  # type: ignore[literal-required]
    return True


def put_aside_from(flow: Flow, frame: Frame, index: int) -> None:
    """Put aside every open round whose loop stands at this index of the path or after it."""
    for path_step in frame["path"][index:]:
        state = loop_state(frame, path_step["step"])
        # The rounds of loops inside it are put aside with it.
        if state is not None and state["open"]:
            close_round(flow, frame, flow.loop(path_step["step"]), ended=False)


def forget_loops(flow: Flow, frame: Frame, steps: Iterable[str]) -> None:
    """Forget the rounds of those of the steps that are loops: they begin again when the flow comes back to them."""
    for step in steps:
        state = frame.get("rounds", {}).pop(step, None)
        if state is not None and state["open"]:
            for name in own_names(flow.loop(step)):
                frame["slots"].pop(name, None)


def names_written(frame: Frame, path_step: PathStep) -> set[str]:
    """Return the slots that a step wrote; those that its rounds wrote too, if it is a loop."""
    state = loop_state(frame, path_step["step"])
    return {*path_step.get("wrote", ()), *(state["wrote"] if state else ())}


def stored_rounds(state: LoopState) -> Iterator[tuple[int, StoredRound]]:
    """Yield the rounds that were put away, with their indexes."""
    return ((index, json.loads(text)) for index, text in enumerate(state["rounds"]) if text)


def steps_of_round(stored: StoredRound) -> Iterator[PathStep]:
    """Yield what a round did, what the rounds of its inner loops did included."""
    yield from stored.get("path", ())
    for inner in stored.get("rounds", {}).values():
        for _index, inner_round in stored_rounds(inner):
            yield from steps_of_round(inner_round)


def repeat_round(state: LoopState, index: int, stored: StoredRound) -> None:
    """Store a changed round, and have it run again."""
    state["rounds"][index] = compact_json(stored)
    state["pending"] = sorted({*state["pending"], index})


def without_question(flow: Flow, stored: StoredRound, name: str) -> StoredRound:
    """Return the round without the questions for a slot, so that they are asked again."""
    return {**stored, "path": [step for step in stored.get("path", []) if not _asks_for(flow, step, name)]}


def forget_question(flow: Flow, frame: Frame, name: str) -> None:
    """Ask again for a slot outside of a loop in the rounds that asked for it."""
    for loop_id, state in frame.get("rounds", {}).items():
        if name not in state["wrote"] or name in own_names(flow.loop(loop_id)):
            continue
        for index, stored in list(stored_rounds(state)):
            rest = without_question(flow, stored, name)
            if len(rest["path"]) < len(stored.get("path", [])):
                repeat_round(state, index, rest)


def _asks_for(flow: Flow, path_step: PathStep, name: str) -> bool:
    step = flow.step(path_step["step"])
    return step.type == "collect" and getattr(step, "slot", "") == name


def realigned(state: LoopState, entries: list[str]) -> LoopState:
    """Return the rounds for a list that has changed: those of unchanged entries are kept, the others begin again."""
    indexes: dict[str, list[int]] = {}
    for index, entry in enumerate(state["entries"]):
        indexes.setdefault(entry, []).append(index)
    sources = [indexes[entry].pop(0) if indexes.get(entry) else None for entry in entries]
    pending = set(state["pending"])
    new: LoopState = {
        **state,
        "entries": entries,
        "rounds": [state["rounds"][source] if source is not None else "" for source in sources],
        "pending": [index for index, source in enumerate(sources) if source is None or source in pending],
        "at": sources.index(state["at"]) if state["at"] in sources else -1,
        "gathered": {
            name: [values[source] if source is not None else None for source in sources]
            for name, values in state["gathered"].items()
        },
    }
    if "ahead" in state:
        by_index: Mapping[str, Any] = state["ahead"]
        new["ahead"] = {
            str(index): by_index[str(source)] for index, source in enumerate(sources) if str(source) in by_index
        }
    return new
