"""LangGraph: interrupts as a graph raises them, or as its server lists them by task.

The value of an interrupt is whatever the graph's author wrote. Values in the shapes of LangChain and of agent-inbox are
read as these; any other value is shown as it is, and answered by its response schema or by JSON.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from dialogue.dialects import langchain
from dialogue.dialects.pauses import AskRefused, Decision, Pause
from dialogue.dialects.shapes import ANSWER, Plain, mapping_at, question_in, text_at, value_of, value_pause


class _Interrupt(NamedTuple):
    id: str
    value: Any
    schema: Any


def read(ask: Any) -> tuple[Pause, ...]:
    """Read one interrupt `{value, id, response_schema?}`, a list of them, or `{"interrupts": {task: […]}}`."""
    return tuple(pause for interrupt in _interrupts_in(ask) for pause in _pauses_of(interrupt))


def write(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Plain:
    """Write what `Command(resume=…)` takes: a value for each interrupt's id; undecided ones are left out."""
    resume: Plain = {}
    position = 0
    for interrupt in _interrupts_in(ask):
        count = len(_pauses_of(interrupt))
        part = slice(position, position + count)
        position += count
        if all(decision.answer is not None for decision in decisions[part]):
            resume[interrupt.id] = _value_for(interrupt, pauses[part], decisions[part])
    return resume


def _interrupts_in(ask: Any) -> list[_Interrupt]:
    if isinstance(ask, dict):
        for key in ("interrupts", "__interrupt__"):
            if key in ask:
                return _interrupts_in(ask[key])
        if "value" not in ask:
            return [interrupt for entries in ask.values() for interrupt in _interrupts_in(entries)]
    entries = ask if isinstance(ask, list) else [ask]
    return [_read_interrupt(mapping_at(entry, str(index)), str(index)) for index, entry in enumerate(entries)]


def _read_interrupt(entry: Plain, path: str) -> _Interrupt:
    interrupt_id = text_at(entry.get("id") or entry.get("interrupt_id"), f"{path}.id")
    if "value" not in entry:
        raise AskRefused(f"{path}.value", "the interrupt has no value")
    return _Interrupt(interrupt_id, entry["value"], entry.get("response_schema"))


def _pauses_of(interrupt: _Interrupt) -> tuple[Pause, ...]:
    value = interrupt.value
    if _is_batch(value):
        return langchain.read_batch(value)
    if isinstance(value, dict) and value.get("type") == langchain.TOOL_APPROVAL:
        return (langchain.read_tool_approval(value, interrupt.schema or value.get("response_schema")),)
    if _is_inbox(value):
        return langchain.read_inbox(value)
    return (value_pause(interrupt.id, question_in(value), interrupt.schema, [ANSWER]),)


def _value_for(interrupt: _Interrupt, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Any:
    value = interrupt.value
    if _is_batch(value):
        return langchain.write_batch(value, pauses, decisions)
    if isinstance(value, dict) and value.get("type") == langchain.TOOL_APPROVAL:
        return langchain.write_call(value, pauses, decisions)
    if _is_inbox(value):
        return langchain.write_inbox(value, pauses, decisions)
    return value_of(pauses[0], decisions[0].values)


def _is_batch(value: Any) -> bool:
    return isinstance(value, dict) and "action_requests" in value


def _is_inbox(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and "action_request" in first and "config" in first
