"""Comparing what a turn showed with what its scenario expects."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from dialogue.engine.language.compiler import Assistant, Slot
from dialogue.scenarios.doubles import Setting, StubbedWorld
from dialogue.scenarios.format.files import Expect, MessageDemand
from dialogue.scenarios.outcome.results import Difference, Line, Seen


def differences(expect: Expect, seen: Seen, assistant: Assistant, setting: Setting) -> tuple[Difference, ...]:
    """Every expectation of a turn that was not met."""
    return (
        *_messages(expect.messages, seen),
        *_slots(expect, seen, assistant, setting),
        *_stack(expect.stack, seen),
        *_llm_calls(expect.llm_calls, seen),
    )


def missed_calls(
    wanted: dict[str, tuple[dict[str, Any], ...]], world: StubbedWorld, assistant: Assistant
) -> tuple[Difference, ...]:
    """For each action that is listed: every call, in order, with exactly these inputs."""
    found = []
    for name, calls in wanted.items():
        contract = assistant.actions.get(name)
        inputs = contract.inputs if contract else {}
        expected = [world.setting.taken_all(inputs, call) for call in calls]
        got = world.inputs_of(name)
        if got != expected:
            found.append(Difference(f"calls of {name}", _listed(expected), _listed(got)))
    return tuple(found)


def _messages(wanted: Sequence[MessageDemand] | None, seen: Seen) -> Iterator[Difference]:
    if wanted is None:
        return
    # The same client id again says nothing new; a scenario may expect that, or the first answer once more.
    said = seen.messages or (seen.repeated if wanted else ())
    if not _keys_fit(wanted, said):
        yield Difference("messages", _listed(each.key for each in wanted), _listed(line.key for line in said))
        return
    for demand, line in zip(wanted, said, strict=True):
        yield from _demands(demand, line)


def _keys_fit(wanted: Sequence[MessageDemand], said: Sequence[Line]) -> bool:
    pairs = zip(wanted, said, strict=False)
    return len(wanted) == len(said) and all(line.key in demand.keys for demand, line in pairs)


def _demands(demand: MessageDemand, line: Line) -> Iterator[Difference]:
    shown = line.shown.casefold()
    for text in demand.contains:
        if text.casefold() not in shown:
            yield Difference(line.key, f"contains {text!r}", repr(line.shown))
    for text in demand.excludes:
        if text.casefold() in shown:
            yield Difference(line.key, f"does not contain {text!r}", repr(line.shown))
    if not _buttons_fit(demand.buttons, line):
        yield Difference(line.key, f"buttons {demand.buttons}", _listed(button["label"] for button in line.buttons))


def _buttons_fit(wanted: int | tuple[str, ...] | None, line: Line) -> bool:
    if wanted is None:
        return True
    if isinstance(wanted, int):
        return len(line.buttons) == wanted
    pairs = zip(wanted, line.buttons, strict=False)
    return len(wanted) == len(line.buttons) and all(each in (got["value"], got["label"]) for each, got in pairs)


def _slots(expect: Expect, seen: Seen, assistant: Assistant, setting: Setting) -> Iterator[Difference]:
    for name, wanted in expect.slots.items():
        expected = setting.taken(slot_of(assistant, name), wanted)
        got = seen.slots.get(name)
        if expected != got:
            yield Difference(name, _shown(expected), _shown(got))


def slot_of(assistant: Assistant, name: str) -> Slot | None:
    """The slot that a scenario names: `flow.slot`, or bare for the whole conversation's."""
    flow, _, slot = name.rpartition(".")
    return assistant.slot(flow or None, slot)


def _stack(wanted: Sequence[str] | None, seen: Seen) -> Iterator[Difference]:
    if wanted is not None and tuple(wanted) != seen.stack:
        yield Difference("stack", _listed(wanted), _listed(seen.stack))


def _llm_calls(wanted: int | None, seen: Seen) -> Iterator[Difference]:
    if wanted is not None and wanted != seen.llm_calls:
        yield Difference("calls of the language model", str(wanted), str(seen.llm_calls))


def _listed(items: Iterable[Any], show: Callable[[Any], str] = str) -> str:
    return ", ".join(map(show, items)) or "nothing"


def _shown(value: Any) -> str:
    return "empty" if value is None else repr(value)
