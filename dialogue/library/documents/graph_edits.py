"""Edits of the graph as the smallest changes of the flow's text; comments and untouched lines stay.

Every edit takes the text and gives changes against it; EditRefused says in words why one cannot be made.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from dialogue.engine.language.first_texts import first_text
from dialogue.engine.language.steps import END, STEP_TYPES
from dialogue.engine.source.phrases import Phrase
from dialogue.library.documents.flow_text import (
    EditRefused,
    EditResult,
    FlowText,
    Path,
    StepItem,
    TextChange,
    node_at,
    scalar_paths,
    step_and_inner_steps,
    value_of,
)
from dialogue.library.documents.graph_moves import move_after, move_before, move_down, move_up

STEP_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
EXIT_KEYS = ("next", "else", "on_error", "on_failure", "on_empty", "on_confirm", "on_deny", "on_timeout")
"""The keys of a step that may name another step."""
EXIT_LIST_KEYS = ("cases", "options")
"""The keys of a step under which a list has ways, each as the `next` of an entry."""

STEP_TEMPLATES: dict[str, tuple[str, ...]] = {
    "say": ("message: {message}",),
    "collect": ("slot: {name}",),
    "confirm": ("message: {sure}",),
    "action": ("call: {name}",),
    "set": ("slots: {{{name}: ~}}",),
    "branch": ("cases:", '  - {{when: "true", next: {after}}}'),
    "while": ('condition: "false"', "do:", "  - {{step: {name}_round, type: say, message: {message}}}"),
    "for_each": (
        "item: {name}_item",
        "in: {name}",
        "do:",
        "  - {{step: {name}_round, type: say, message: {message}}}",
    ),
    "call": ("flow: {name}",),
    "link": ("flow: {name}",),
    "human": (
        "title: {decision}",
        "actions: [{{id: approve, label: {approve}}}, {{id: reject, label: {reject}}}]",
        "timeout: 30m",
        "on_timeout: reject",
    ),
    "wait": ("for: 1d",),
    "handoff": ("message: {coming}", "timeout: 30m"),
}
"""What a new step says below its name and type."""

_TEXTS = {
    "en": {
        "sure": "Is that right?",
        "approve": "Approve",
        "reject": "Reject",
        "coming": "One moment, a colleague is coming.",
    },
    "es": {
        "sure": "¿Es correcto?",
        "approve": "Aprobar",
        "reject": "Rechazar",
        "coming": "Un momento, ahora le atiende una persona.",
    },
}
"""The texts of new steps that may stay as they are, by language."""


def rename_step(text: str, step: str, name: str) -> EditResult:
    """Rename a step wherever the flow mentions it. Raises EditRefused."""
    flow = FlowText.read(text)
    flow.step_item(step)
    _check_new(flow, name)
    changes = [change for item in flow.step_items() for change in _rename_changes(flow, item, step, name)]
    return EditResult([*_redirect_failures(flow, {step}, name), *changes], name)


def connect_step(text: str, step: str, exit_path: str, target: str) -> EditResult:
    """Lead an exit of a step, such as "else" or "cases.0.next", to another step or to "end". Raises EditRefused."""
    flow = FlowText.read(text)
    item = flow.step_item(step)
    if target != END:
        flow.step_item(target)
    path = tuple(int(part) if part.isdigit() else part for part in exit_path.split("."))
    if path[0] not in (*EXIT_KEYS, *EXIT_LIST_KEYS):
        raise EditRefused(Phrase("`{exit_path}` cannot lead to a step.", exit_path=exit_path))
    return EditResult([_set_exit(flow, item, path, target)], step)


def disconnect_step(text: str, step: str, exit_key: str) -> EditResult:
    """Remove an exit of a step, so that the language's default applies. Raises EditRefused."""
    flow = FlowText.read(text)
    item = flow.step_item(step)
    if exit_key not in EXIT_KEYS or item.node.flow_style:
        raise EditRefused(
            Phrase("`{exit_key}` cannot be taken out here; let it lead to another step.", exit_key=exit_key)
        )
    for index, (key, value) in enumerate(item.node.value):
        if key.value == exit_key and isinstance(value, ScalarNode) and index:
            return EditResult(
                [TextChange(flow.line_start(key.start_mark.index) - 1, flow.line_end(flow.end_of(value)), "")], step
            )
    raise EditRefused(Phrase("`{exit_key}` is not set.", exit_key=exit_key))


def add_step(text: str, after: str, kind: str, name: str, language: str = "en") -> EditResult:
    """Add a step of this type after another one, with first texts in the language; a title becomes a name.

    Raises EditRefused.
    """
    flow = FlowText.read(text)
    item = flow.step_item(after)
    name = _step_name(name)
    _check_new(flow, name)
    if kind not in STEP_TEMPLATES or kind not in STEP_TYPES:
        raise EditRefused(Phrase("There is no type `{kind}`.", kind=kind))
    indent = " " * flow.indent_of(item)
    lines = [f"- step: {name}", f"  type: {kind}", *(f"  {line}" for line in STEP_TEMPLATES[kind])]
    words = {"name": name, "after": _next_in_list(item), **_texts_in(language)}
    filled = [line.format_map(words) if i > 1 else line for i, line in enumerate(lines)]
    at = flow.last_line_of(item)
    return EditResult([TextChange(at, at, "".join(f"\n{indent}{line}" for line in filled))], name)


def _texts_in(language: str) -> dict[str, str]:
    texts = _TEXTS.get(language.partition("-")[0], _TEXTS["en"])
    return {**texts, **{purpose: first_text(purpose, language) for purpose in ("message", "decision")}}


def delete_step(text: str, step: str) -> EditResult:
    """Remove a step with its own comments; what led to it leads to its target. Raises EditRefused."""
    flow = FlowText.read(text)
    item = flow.step_item(step)
    if len(item.siblings.value) == 1:
        raise EditRefused(Phrase("The last step stays: a list of steps needs one."))
    removed = {other.name for other in step_and_inner_steps(item)}
    target = _default_target(item)
    others = [other for other in flow.step_items() if other.name not in removed]
    changes = [change for other in others for change in _redirect_changes(flow, other, removed, target)]
    changes = [*_redirect_failures(flow, removed, target), *changes]
    return EditResult([*changes, *_cut_out(flow, item)], target if target != END else others[-1].name)


EDITS: dict[str, Callable[..., EditResult]] = {
    "rename": rename_step,
    "connect": connect_step,
    "disconnect": disconnect_step,
    "add": add_step,
    "delete": delete_step,
    "move": move_after,
    "before": move_before,
    "up": move_up,
    "down": move_down,
}
"""The edits by name; their arguments are words."""


def name_from_words(words: str) -> str:
    """A name of at most 58 letters, digits and _, such as "return_an_item" of "Return an item"; "" without letters."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_").lstrip("0123456789_")[:58].rstrip("_")


def _step_name(typed: str) -> str:
    """The name of a step, from a name or a title; as it was typed where no name can be made of it."""
    return typed if STEP_NAME.fullmatch(typed) else name_from_words(typed) or typed


def _check_new(flow: FlowText, name: str) -> None:
    if not name:
        raise EditRefused(Phrase("A step needs a name. Write lowercase letters, digits and _, a letter first."))
    if not STEP_NAME.fullmatch(name) or name == END:
        raise EditRefused(
            Phrase(
                "`{name}` is not a name for a step. Write lowercase letters, digits and _, a letter first.", name=name
            )
        )
    if any(item.name == name for item in flow.step_items()):
        raise EditRefused(Phrase("There is already a step `{name}`. Choose another name.", name=name))


def _cut_out(flow: FlowText, item: StepItem) -> Iterator[TextChange]:
    """The step's lines, but for comments between them that stand no deeper than its dash: those are about the flow."""
    start, end = flow.dash_of(item), flow.last_line_of(item)
    at = flow.line_end(start) + 1
    while at < end:
        next_line = flow.line_end(at) + 1
        if _is_outer_comment(flow, item, at):
            yield TextChange(start, at, "")
            start = next_line
        at = next_line
    yield flow.cut_lines(start, end)


def _is_outer_comment(flow: FlowText, item: StepItem, at: int) -> bool:
    line = flow.text[at : flow.line_end(at)]
    position = at + len(line) - len(line.lstrip())
    if not line.lstrip().startswith("#") or position - at > flow.indent_of(item):
        return False
    return not any(node.start_mark.index <= position < flow.end_of(node) for _path, node in scalar_paths(item.node))


def _next_in_list(item: StepItem) -> str:
    rest = item.siblings.value[item.index + 1 :]
    name = value_of(rest[0], "step") if rest else None
    return str(name.value) if isinstance(name, ScalarNode) else END


def _default_target(item: StepItem) -> str:
    """Where a step leads when nothing else is said; END where that would be the step itself."""
    chosen = value_of(item.node, "next")
    target = chosen.value if isinstance(chosen, ScalarNode) and chosen.value else _next_in_list(item)
    inner = {inner_item.name for inner_item in step_and_inner_steps(item)}
    return END if target in inner else str(target)


def _exit_values(item: StepItem) -> Iterator[tuple[Path, ScalarNode]]:
    """The values of a step that name a step; what belongs to the steps of a loop is theirs."""
    outcomes = {node.value for path, node in scalar_paths(item.node) if path[:1] == ("actions",) and path[-1] == "id"}
    for path, node in scalar_paths(item.node):
        if path[0] == "do" or node.style in ("|", ">"):
            continue
        is_outcome = path[0] == "on_timeout" and node.value in outcomes
        if (path[0] in EXIT_LIST_KEYS and path[-1] == "next") or (path[0] in EXIT_KEYS and not is_outcome):
            yield path, node


def _rename_changes(flow: FlowText, item: StepItem, old: str, new: str) -> Iterator[TextChange]:
    if item.name == old:
        own_name = value_of(item.node, "step")
        if own_name is not None:
            yield _replace_scalar(flow, own_name, new)
    for _path, node in _exit_values(item):
        if node.value == old:
            yield _replace_scalar(flow, node, new)
    yield from _rename_decision_references(flow, item, old, new)


def _rename_decision_references(flow: FlowText, item: StepItem, old: str, new: str) -> Iterator[TextChange]:
    """`{approval.action}` in messages and `approval.action` in conditions."""
    reference = re.compile(rf"(?<![\w.]){re.escape(old)}(?=\.[a-z_])")
    for path, node in scalar_paths(item.node):
        if path[0] == "do" or path[0] in ("step", "type", "note"):
            continue
        start, end = node.start_mark.index, flow.end_of(node)
        source = flow.text[start:end]
        spans = _brace_spans(source) if path[-1] in _TEXT_KEYS or path[0] in _TEXT_KEYS else [(0, len(source))]
        for match in reference.finditer(source):
            if any(low <= match.start() < high for low, high in spans):
                yield TextChange(start + match.start(), start + match.end(), new)


_TEXT_KEYS = ("message", "title", "prompt", "label", "buttons", "options")
"""Keys whose values are texts with names in braces; the others hold names and conditions."""


def _brace_spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\{[^{}]*\}", text)]


def _redirect_failures(flow: FlowText, gone: set[str], target: str) -> Iterator[TextChange]:
    """The flow's own `on_error`, if it leads to one of these steps."""
    node = node_at(flow.root, ("settings", "on_error"))
    if isinstance(node, ScalarNode) and node.value in gone:
        yield _replace_scalar(flow, node, target)


def _redirect_changes(flow: FlowText, item: StepItem, gone: set[str], target: str) -> Iterator[TextChange]:
    for _path, node in _exit_values(item):
        if node.value in gone:
            yield _replace_scalar(flow, node, target)


def _replace_scalar(flow: FlowText, node: Node, word: str) -> TextChange:
    start, end = node.start_mark.index, flow.end_of(node)
    quote = flow.text[start] if flow.text[start : start + 1] in ("'", '"') else ""
    return TextChange(start, end, f"{quote}{word}{quote}")


def _set_exit(flow: FlowText, item: StepItem, path: Path, target: str) -> TextChange:
    current = node_at(item.node, path)
    if isinstance(current, ScalarNode):
        nothing = current.start_mark.index == current.end_mark.index
        return (
            TextChange(current.start_mark.index, current.end_mark.index, f" {target}")
            if nothing
            else _replace_scalar(flow, current, target)
        )
    if current is not None:
        raise EditRefused(Phrase("`{names}` has several exits; name one of them.", names=".".join(map(str, path))))
    holder = node_at(item.node, path[:-1])
    if holder is None and len(path) == 2:
        return _new_key(flow, item.node, str(path[0]), f"{{{path[1]}: {target}}}")
    if not isinstance(holder, MappingNode) or path[0] in EXIT_LIST_KEYS:
        raise EditRefused(Phrase("`{names}` cannot lead to a step here.", names=".".join(map(str, path))))
    return _new_key(flow, holder, str(path[-1]), target)


def _new_key(flow: FlowText, holder: MappingNode, key: str, value: str) -> TextChange:
    if holder.flow_style:
        at = holder.end_mark.index - 1
        before = flow.text[:at].rstrip()
        comma = "" if before.endswith(("{", ",")) else ","
        return TextChange(len(before), len(before), f"{comma} {key}: {value}" if comma else f"{key}: {value}")
    indent = " " * flow.column_of(holder.value[0][0].start_mark.index)
    at = flow.line_end(flow.end_of(holder))
    return TextChange(at, at, f"\n{indent}{key}: {value}")


def editor_changes(edited: EditResult, text: str) -> dict[str, Any]:
    """For a browser, which counts in UTF-16: `{changes: [{from, to, insert}], select}`."""
    changes = sorted(edited.changes, key=lambda change: (change.start, change.end))
    return {
        "changes": [
            {"from": _utf16_offset(text, change.start), "to": _utf16_offset(text, change.end), "insert": change.insert}
            for change in changes
        ],
        "select": edited.select,
    }


def _utf16_offset(text: str, at: int) -> int:
    return at + sum(1 for character in text[:at] if ord(character) > 0xFFFF)
