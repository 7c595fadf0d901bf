"""Comparing what a turn showed with what its scenario expects."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from dialogue.engine.language.compiler import Assistant, Slot
from dialogue.engine.ports.message_parts import entry_counts
from dialogue.scenarios.doubles import StubbedWorld, ValueReader
from dialogue.scenarios.format.files import Expect, MessageDemand
from dialogue.scenarios.outcome.results import Difference, Observation, ObservedMessage


def turn_differences(
    expect: Expect, observation: Observation, assistant: Assistant, value_reader: ValueReader
) -> tuple[Difference, ...]:
    """Every expectation of a turn that was not met."""
    return (
        *_message_differences(expect.messages, observation),
        *_slot_differences(expect, observation, assistant, value_reader),
        *_stack_differences(expect.stack, observation),
        *_llm_call_differences(expect.llm_calls, observation),
    )


def call_differences(
    expected_calls: dict[str, tuple[dict[str, Any], ...]], world: StubbedWorld, assistant: Assistant
) -> tuple[Difference, ...]:
    """For each action that is listed: every call, in order, with exactly these inputs."""
    differences = []
    for name, calls in expected_calls.items():
        contract = assistant.actions.get(name)
        inputs = contract.inputs if contract else {}
        expected = [world.value_reader.read_values(inputs, call) for call in calls]
        got = world.inputs_of(name)
        if got != expected:
            differences.append(Difference(f"calls of {name}", _join_items(expected), _join_items(got)))
    return tuple(differences)


def _message_differences(expected: Sequence[MessageDemand] | None, observation: Observation) -> Iterator[Difference]:
    if expected is None:
        return
    # The same client id again says nothing new; a scenario may expect that, or the first answer once more.
    messages = observation.messages or (observation.repeated if expected else ())
    if not _keys_fit(expected, messages):
        yield Difference(
            "messages", _join_items(demand.key for demand in expected), _join_items(line.key for line in messages)
        )
        return
    for demand, line in zip(expected, messages, strict=True):
        yield from _demand_differences(demand, line)


def _keys_fit(expected: Sequence[MessageDemand], messages: Sequence[ObservedMessage]) -> bool:
    pairs = zip(expected, messages, strict=False)
    return len(expected) == len(messages) and all(line.key in demand.keys for demand, line in pairs)


def _demand_differences(demand: MessageDemand, line: ObservedMessage) -> Iterator[Difference]:
    full_text = line.full_text.casefold()
    for text in demand.contains:
        if text.casefold() not in full_text:
            yield Difference(line.key, f"contains {text!r}", repr(line.full_text))
    for text in demand.excludes:
        if text.casefold() in full_text:
            yield Difference(line.key, f"does not contain {text!r}", repr(line.full_text))
    if not _buttons_fit(demand.buttons, line):
        yield Difference(line.key, f"buttons {demand.buttons}", _join_items(button["label"] for button in line.buttons))
    if demand.shows is not None and demand.shows != entry_counts(line.parts):
        yield Difference(line.key, f"shows {_counts_text(demand.shows)}", _counts_text(entry_counts(line.parts)))


def _counts_text(counts: Mapping[Any, int]) -> str:
    return _join_items(f"{name}: {count}" for name, count in counts.items())


def _buttons_fit(expected: int | tuple[str, ...] | None, line: ObservedMessage) -> bool:
    if expected is None:
        return True
    if isinstance(expected, int):
        return len(line.buttons) == expected
    pairs = zip(expected, line.buttons, strict=False)
    return len(expected) == len(line.buttons) and all(
        name in (button["value"], button["label"]) for name, button in pairs
    )


def _slot_differences(
    expect: Expect, observation: Observation, assistant: Assistant, value_reader: ValueReader
) -> Iterator[Difference]:
    for name, value in expect.slots.items():
        expected = value_reader.read_value(slot_named(assistant, name), value)
        got = _observed_value(observation.slots, name)
        if expected != got:
            yield Difference(name, _value_text(expected), _value_text(got))


def slot_named(assistant: Assistant, name: str) -> Slot | None:
    """The slot that a scenario names: `flow.slot`, or bare for the whole conversation's; or a field of its record."""
    flow, _, slot = name.partition(".")
    return assistant.slot(flow, slot) if slot and flow in assistant.flows else assistant.slot(None, name)


def _observed_value(slots: Mapping[str, Any], name: str) -> Any:
    """Return the value of a slot, or of a field of the record in it, such as send.address.zip."""
    if name in slots:
        return slots[name]
    whole, _, field = name.rpartition(".")
    record = _observed_value(slots, whole) if whole else None
    return record.get(field) if isinstance(record, Mapping) else None


def _stack_differences(expected: Sequence[str] | None, observation: Observation) -> Iterator[Difference]:
    if expected is not None and tuple(expected) != observation.stack:
        yield Difference("stack", _join_items(expected), _join_items(observation.stack))


def _llm_call_differences(expected: int | None, observation: Observation) -> Iterator[Difference]:
    if expected is not None and expected != observation.llm_calls:
        yield Difference("calls of the language model", str(expected), str(observation.llm_calls))


def _join_items(items: Iterable[Any], show: Callable[[Any], str] = str) -> str:
    return ", ".join(map(show, items)) or "nothing"


def _value_text(value: Any) -> str:
    return "empty" if value is None else repr(value)
