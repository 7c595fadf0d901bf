"""The record of a turn in words: what was understood by which part, what was dropped, what changed, what ran."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dialogue.engine.language.compiler import Assistant
from dialogue.models import Event, Turn
from dialogue.turns.live.failed_steps import failed_steps
from dialogue.turns.live.flow_words import flow_words, slot_words
from dialogue.turns.nlu.explanations import nearest_example_text
from dialogue.web.shared.words.commands import READERS, command_words

MIN_SHOWN_MS = 0.05
"""Less than this is shown as no time at all."""


@dataclass(frozen=True)
class TurnTrace:
    """One turn's "why". Texts are plain; `path` is part by part with its milliseconds and tokens.

    `simulated_actions` are the names of those that a test answered in place of the project's code.
    """

    turn: Turn
    text: str
    commands: list[str]
    dropped: list[str]
    path: list[str]
    changes: list[str]
    stack: list[str]
    actions: list[str]
    options: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    simulated_actions: list[str] = field(default_factory=list)

    @property
    def has_words(self) -> bool:
        """Whether it answers words, which may have meant something else."""
        return self.turn.event.kind == Event.Kind.MESSAGE


def turn_trace(turn: Turn, redact: Callable[[str], str] = str, assistant: Assistant | None = None) -> TurnTrace:
    """Read a stored record; parts that an older engine did not write are empty. `redact` masks the utterance.

    `assistant` is the turn's definition, which has the titles of flows and slots; without it, their names in words.
    """
    record: dict[str, Any] = turn.record
    payload = turn.event.payload
    return TurnTrace(
        turn=turn,
        text=redact(str(payload.get("text") or payload.get("value") or payload.get("event") or turn.event.kind)),
        commands=[command_words(entry, assistant) for entry in _entries(record, "proposed", "commands")],
        dropped=[_dropped_text(entry, assistant) for entry in _entries(record, "dropped")],
        path=[_path_entry_text(entry) for entry in _entries(record, "path")],
        changes=[_change_text(entry, assistant) for entry in _entries(record, "slots", "slot_changes")],
        stack=[_stack_text(entry, assistant) for entry in _entries(record, "stack", "stack_changes")],
        actions=[_action_text(entry) for entry in (*_entries(record, "actions"), *failed_steps(record))],
        options=[_options_text(entry) for entry in _entries(record, "options")],
        simulated_actions=list(dict.fromkeys(filter(None, map(_simulated_action, _entries(record, "actions"))))),
        items=list(dict.fromkeys(_item_text(entry) for entry in _entries(record, "steps") if _is_in_loop(entry))),
    )


def _entries(record: dict[str, Any], *names: str) -> Iterable[Any]:
    entries: Any = next((record[name] for name in names if record.get(name)), [])
    return entries if isinstance(entries, list) else [entries]


def _arguments_text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} = {argument}" for name, argument in value.items())
    return "" if value is None else str(value)


def _dropped_text(entry: Any, assistant: Assistant | None) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    return f"{command_words(entry.get('command', ''), assistant)}: {entry.get('reason', '')}"


def _path_entry_text(entry: Any) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    part = str(entry.get("part", ""))
    milliseconds = float(entry.get("milliseconds") or 0)
    texts = [str(READERS.get(part, part)), *([f"{milliseconds:.1f} ms"] if milliseconds >= MIN_SHOWN_MS else [])]
    if entry.get("tokens"):
        texts.append(f"{entry['tokens']} tokens")
    if entry.get("nearest"):
        texts.append(nearest_example_text(entry["nearest"]))
    return ", ".join(texts)


def _is_in_loop(entry: Any) -> bool:
    return isinstance(entry, dict) and bool(entry.get("item"))


def _item_text(entry: dict[str, Any]) -> str:
    """Which entry of a list a step was about."""
    number = _("item %(number)s") % {"number": entry["item"]}
    return ": ".join(filter(None, (str(entry.get("flow", "")), number, str(entry.get("item_label", "")))))


def _change_text(entry: Any, assistant: Assistant | None) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    place = f" ({_('item %(number)s') % {'number': entry['item']}})" if entry.get("item") else ""
    slot = slot_words(str(entry.get("slot")), assistant)
    return f"{slot}{place}: {_value_text(entry.get('from'))} → {_value_text(entry.get('to'))}"


def _stack_text(entry: Any, assistant: Assistant | None) -> str:
    """Which flow began or ended."""
    if not isinstance(entry, dict) or not entry.get("flow"):
        return _entry_text(entry)
    flow, change = flow_words(str(entry["flow"]), assistant), str(entry.get("change", ""))
    return f"{flow}: {_(_STACK_CHANGES[change]) if change in _STACK_CHANGES else change}"


_STACK_CHANGES = {"started": gettext_noop("begun"), "ended": gettext_noop("ended")}


def _entry_text(entry: Any) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    texts = {name: _arguments_text(value) for name, value in entry.items() if value and name not in _HIDDEN_KEYS}
    return ", ".join(text if name in _KEYS_WITHOUT_NAME else f"{name} {text}" for name, text in texts.items())


def _action_text(entry: Any) -> str:
    text = _entry_text(entry)
    return f"{text}, {_('simulated')}" if _simulated_action(entry) else text


def _simulated_action(entry: Any) -> str:
    """The name of an action that a test answered in its place, else ""."""
    return str(entry.get("action", "")) if isinstance(entry, dict) and entry.get("simulated") else ""


def _options_text(entry: Any) -> str:
    """What was offered for a choice from data, or how an answer to it was resolved."""
    if not isinstance(entry, dict):
        return str(entry)
    labels = "; ".join(map(str, entry.get("options", ())))
    if "offered" in entry:
        return _("%(slot)s: %(count)s offered: %(labels)s") % {
            "slot": entry.get("slot"), "count": entry["offered"], "labels": labels or "∅",
        }  # fmt: skip
    result = _RESULTS.get(entry.get("result", ""), "")
    text = f"{entry.get('slot')}: “{entry.get('words', '')}” → {_(result) if result else entry.get('result')}"
    return f"{text}: {labels}" if labels else text


_RESULTS = {
    "chosen": gettext_noop("chosen"),
    "among": gettext_noop("one of"),
    "unmatched": gettext_noop("fits no option"),
    "unresolved": gettext_noop("kept until the options are known"),
    "page": gettext_noop("another page"),
    "control": gettext_noop("a button"),
    "emptied": gettext_noop("none"),
}
"""How an answer to a choice from data was resolved."""
_HIDDEN_KEYS = frozenset({"digest", "frame", "simulated"})
_KEYS_WITHOUT_NAME = frozenset({"change", "flow", "name", "action", "call", "state", "outcome"})


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return "∅" if value is None else str(value)
