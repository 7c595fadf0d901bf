"""The record of a turn in words: what was understood by which part, what was dropped, what changed, what ran."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dialogue.models import Event, Turn


@dataclass(frozen=True)
class TurnTrace:
    """One turn's "why". Texts are plain; `path` is part by part with its milliseconds and tokens."""

    turn: Turn
    text: str
    commands: list[str]
    dropped: list[str]
    path: list[str]
    changes: list[str]
    stack: list[str]
    actions: list[str]

    @property
    def has_words(self) -> bool:
        """Whether it answers words, which may have meant something else."""
        return self.turn.event.kind == Event.Kind.MESSAGE


def turn_trace(turn: Turn, veil: Callable[[str], str] = str) -> TurnTrace:
    """Read a stored record; parts that an older engine did not write are empty. `veil` masks what was said."""
    kept: dict[str, Any] = turn.record
    return TurnTrace(
        turn=turn,
        text=veil(_said(turn)),
        commands=[command_text(each) for each in _rows(kept, "proposed", "commands")],
        dropped=[_dropped(each) for each in _rows(kept, "dropped")],
        path=[_part(each) for each in _rows(kept, "path")],
        changes=[_change(each) for each in _rows(kept, "slots", "slot_changes")],
        stack=[_facts(each) for each in _rows(kept, "stack", "stack_changes")],
        actions=[_facts(each) for each in _rows(kept, "actions")],
    )


def _rows(kept: dict[str, Any], *names: str) -> Iterable[Any]:
    found: Any = next((kept[name] for name in names if kept.get(name)), [])
    return found if isinstance(found, list) else [found]


def _said(turn: Turn) -> str:
    payload = turn.event.payload
    return str(payload.get("text") or payload.get("value") or turn.event.kind)


def command_text(command: Any) -> str:
    """A command in the scenario form, in words."""
    if not isinstance(command, dict):
        return str(command)
    return ", ".join(f"{name} {_inner(value)}".strip() for name, value in command.items())


def _inner(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} = {each}" for name, each in value.items())
    return "" if value is None else str(value)


def _dropped(entry: Any) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    return f"{command_text(entry.get('command', ''))}: {entry.get('reason', '')}"


def _part(entry: Any) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    told = [str(entry.get("part", "")), f"{float(entry.get('milliseconds') or 0):.1f} ms"]
    if entry.get("tokens"):
        told.append(f"{entry['tokens']} tokens")
    return ", ".join(told)


def _change(entry: Any) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    return f"{entry.get('slot')}: {_shown(entry.get('from'))} → {_shown(entry.get('to'))}"


def _facts(entry: Any) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    told = {name: _inner(value) for name, value in entry.items() if value and name not in _UNTOLD}
    return ", ".join(text if name in _PLAIN else f"{name} {text}" for name, text in told.items())


_UNTOLD = frozenset({"digest", "frame"})
_PLAIN = frozenset({"change", "flow", "name", "action", "call", "state", "outcome"})


def _shown(value: Any) -> str:
    return "∅" if value is None else str(value)
