"""Set a value in a YAML text with the smallest change: comments, order and style of everything else stay.

The change is found by comparing the text's nodes with the values that they shall have. It is made only if the new text
then has these values; else the value under the outermost key is written again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

from dialogue.engine.source.parser import SourceRefused, read_recent_source
from dialogue.engine.source.phrases import Phrase
from dialogue.library.documents.flow_text import EditRefused, Path, TextChange, apply_changes
from dialogue.library.documents.yaml_nodes import BLOCK_STYLES, YamlNode, read_nodes
from dialogue.library.documents.yaml_writing import (
    MAX_LINE_CHARACTERS,
    block_lines,
    bracket_text,
    canonical_value,
    fits_line,
    is_collection,
    item_lines,
    key_lines,
    literal_lines,
    same_value,
    scalar_text,
)


@dataclass(frozen=True)
class ValueEdit:
    """What a value shall be. `path` begins at the step, or at the document without one.

    `order` are the keys of the mapping in their usual order, for a key that is not there yet.
    """

    path: Path
    value: Any = None
    step: str = ""
    removes: bool = False
    order: tuple[str, ...] = ()


def set_values(text: str, edits: Sequence[ValueEdit]) -> list[TextChange]:
    """The changes that give these values to a text. Raises EditRefused with the reason in words."""
    try:
        tree = read_recent_source(text).tree
        root = read_nodes(text)
    except SourceRefused as error:
        raise EditRefused(Phrase("The text cannot be read yet: {error}", error=error)) from error
    wanted = _plain_copy(tree)
    for edit in edits:
        _set_in(wanted, _path_in(wanted, edit), edit)
    return _verified_changes(text, root, tree, wanted)


def step_path(tree: Any, name: str) -> Path | None:
    """The path of a step in a document, the steps of loops included; None without one."""
    return next((path for step, path in step_paths(tree) if step == name), None)


def step_paths(tree: Any) -> Iterator[tuple[str, Path]]:
    """The name and the path of each step, in the order of the document."""
    steps = tree.get("steps") if isinstance(tree, Mapping) else None
    yield from _paths_below(steps, ("steps",))


def _paths_below(steps: Any, path: Path) -> Iterator[tuple[str, Path]]:
    for index, step in enumerate(steps if isinstance(steps, list | tuple) else ()):
        if isinstance(step, Mapping):
            yield str(step.get("step", "")), (*path, index)
            yield from _paths_below(step.get("do"), (*path, index, "do"))


def document_values(text: str) -> dict[str, Any] | None:
    """The values of a text for a page: `{tree, steps}`; None for a text that cannot be read.

    `tree` is the document as JSON, and `steps` has by name the `path` of each step with its first and last line, `from`
    and `to`, counted from 1.
    """
    try:
        tree, root = read_recent_source(text).tree, read_nodes(text)
    except SourceRefused:
        return None
    steps = {name: {"path": path, **_lines_of(text, _node_at(root, path))} for name, path in step_paths(tree)}
    return {"tree": _json_copy(tree), "steps": steps}


def _lines_of(text: str, node: YamlNode) -> dict[str, int]:
    return {"from": text.count("\n", 0, node.start) + 1, "to": text.count("\n", 0, node.end) + 1}


def _node_at(node: YamlNode, path: Path) -> YamlNode:
    for key in path:
        index = key if isinstance(key, int) else [name.text for name in node.keys].index(key)
        node = node.entries[index]
    return node


def _json_copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _json_copy(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_json_copy(entry) for entry in value]
    return float(value) if isinstance(value, Decimal) else value


# ---- the values that the text shall have ---------------------------------------------------------------------------


def _plain_copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain_copy(entry) for key, entry in value.items()}
    return [_plain_copy(entry) for entry in value] if isinstance(value, list | tuple) else value


def _path_in(tree: Any, edit: ValueEdit) -> Path:
    if not edit.step:
        return edit.path
    path = step_path(tree, edit.step)
    if path is None:
        raise EditRefused(Phrase("There is no step `{step}`.", step=edit.step))
    return (*path, *edit.path)


def _set_in(tree: Any, path: Path, edit: ValueEdit) -> None:
    holder = tree
    for key, next_key in pairwise(path):
        holder = _entry_to_fill(holder, key, [] if isinstance(next_key, int) else {}, edit)
        if holder is None:
            return
    key = path[-1]
    if isinstance(holder, dict):
        _set_key(holder, str(key), edit)
    elif isinstance(holder, list) and isinstance(key, int) and key <= len(holder):
        holder[key : key + 1] = [] if edit.removes else [_plain_copy(edit.value)]
    else:
        raise EditRefused(Phrase("`{names}` cannot be set here.", names=".".join(map(str, path))))


def _entry_to_fill(holder: Any, key: str | int, empty: Any, edit: ValueEdit) -> Any:
    """The list or mapping under a key, made where it is missing; None where a removal finds nothing."""
    if isinstance(holder, list) and isinstance(key, int) and key < len(holder):
        return holder[key]
    if not isinstance(holder, dict):
        raise EditRefused(Phrase("`{key}` cannot be set here.", key=key))
    if holder.get(str(key)) is None:
        if edit.removes:
            return None
        holder[str(key)] = empty
    return holder[str(key)]


def _set_key(holder: dict[str, Any], key: str, edit: ValueEdit) -> None:
    if edit.removes:
        holder.pop(key, None)
        return
    is_new = key not in holder
    holder[key] = _plain_copy(edit.value)
    if not is_new or key not in edit.order:
        return
    before = set(edit.order[: edit.order.index(key)])
    names = [name for name in holder if name != key]
    index = max((names.index(name) + 1 for name in names if name in before), default=0)
    values = {name: holder[name] for name in [*names[:index], key, *names[index:]]}
    holder.clear()
    holder.update(values)


# ---- from the values to changes of the text ------------------------------------------------------------------------


def _verified_changes(text: str, root: YamlNode, tree: Any, wanted: Any) -> list[TextChange]:
    for writer in (_Writer(text), _CoarseWriter(text)):
        changes = _merged([_trimmed(text, change) for change in writer.mapping_changes(root, tree, wanted)])
        if _has_values(apply_changes(text, changes), wanted):
            return _with_line_ends(text, [change for change in changes if change.insert or change.start < change.end])
    raise EditRefused(Phrase("This cannot be written here. Change it in the text."))


def _merged(changes: list[TextChange]) -> list[TextChange]:
    """The changes in the order of the text; what is inserted at one place is one change."""
    merged: list[TextChange] = []
    for change in sorted(changes, key=lambda change: (change.start, change.end)):
        last = merged[-1] if merged else None
        if last and last.start == last.end == change.start:
            merged[-1] = TextChange(last.start, change.end, last.insert + change.insert)
        else:
            merged.append(change)
    return merged


def _has_values(text: str, wanted: Any) -> bool:
    try:
        return same_value(read_recent_source(text).tree, wanted)
    except SourceRefused:
        return False


def _with_line_ends(text: str, changes: list[TextChange]) -> list[TextChange]:
    if "\r\n" not in text:
        return changes
    return [TextChange(change.start, change.end, change.insert.replace("\n", "\r\n")) for change in changes]


def _trimmed(text: str, change: TextChange) -> TextChange:
    """The change without what is the same before and after it."""
    old, new, start, end = text[change.start : change.end], change.insert, 0, 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return TextChange(change.start + start, change.end - end, new[start : len(new) - end])


class _Writer:
    """Compares nodes with the values that they shall have, and yields changes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def changes(self, node: YamlNode, old: Any, new: Any, holder: YamlNode) -> Iterator[TextChange]:
        """Changes of an entry of `holder`."""
        if same_value(old, new):
            return
        is_mapping = isinstance(old, Mapping) and isinstance(new, Mapping)
        is_list = isinstance(old, list | tuple) and isinstance(new, list | tuple)
        has_other_keys = is_mapping and not _renamed_keys(list(old), list(new)) and not set(old) & set(new)
        is_other = not (old and new) or not (is_mapping or is_list) or has_other_keys
        if is_other or self._becomes_too_long(node, new, holder):
            yield self._replacement(node, new, holder)
        elif is_mapping:
            yield from self.mapping_changes(node, old, new)
        else:
            yield from self._list_changes(node, old, new)

    def mapping_changes(self, node: YamlNode, old: Any, new: Any) -> Iterator[TextChange]:
        """Changes of a mapping that has keys before and afterwards."""
        renamed = _renamed_keys(list(old), list(new))
        kept = [index for index, key in enumerate(node.keys) if renamed.get(key.text, key.text) in new]
        for index in kept:
            key, entry = node.keys[index], node.entries[index]
            name = renamed.get(key.text, key.text)
            if name != key.text:
                written = scalar_text(name, key.style, in_brackets=node.in_brackets)
                yield TextChange(key.start, key.end, written)
            yield from self.changes(entry, old[key.text], new[name], node)
        yield from self._removed_keys(node, kept)
        yield from self._added_keys(node, kept, {renamed.get(key.text, key.text) for key in node.keys}, new)

    def _removed_keys(self, node: YamlNode, kept: list[int]) -> Iterator[TextChange]:
        for index, key in enumerate(node.keys):
            if index in kept:
                continue
            end = max(key.end + 1, node.entries[index].end)
            yield self._cut(node, index, kept, key.start, end)

    def _cut(self, node: YamlNode, index: int, kept: list[int], start: int, end: int) -> TextChange:
        if node.in_brackets:
            starts = [key.start for key in node.keys] if node.kind == "mapping" else [one.start for one in node.entries]
            following = starts[index + 1] if index + 1 < len(starts) else None
            if following is not None and (index < kept[0]):
                return TextChange(start, following, "")
            return TextChange(self._end_of_entry(node, index - 1), end, "")
        line_start, line_end = self._line_start(start), self._line_end(end)
        if node.kind == "list":
            return self._cut_lines(line_start, line_end)
        if not self.text[line_start:start].strip():
            return self._cut_lines(line_start, line_end)
        following_text = self.text[line_end + 1 :]
        indent = len(following_text) - len(following_text.lstrip())
        return TextChange(start, line_end + 1 + indent, "")

    def _cut_lines(self, start: int, end: int) -> TextChange:
        return TextChange(start, end + 1, "") if end < len(self.text) else TextChange(max(0, start - 1), end, "")

    def _end_of_entry(self, node: YamlNode, index: int) -> int:
        entry = node.entries[index]
        return node.keys[index].end + 1 if entry.is_absent and node.keys else entry.end

    def _added_keys(self, node: YamlNode, kept: list[int], known: set[str], new: Any) -> Iterator[TextChange]:
        names = list(new)
        index_by_name = {node.keys[index].text: index for index in kept}
        for position, name in enumerate(names):
            if name in known:
                continue
            before = [index_by_name[other] for other in names[:position] if other in index_by_name]
            index = before[-1] if before else kept[-1]
            if node.in_brackets:
                at = self._end_of_entry(node, index)
                yield TextChange(at, at, f", {scalar_text(name, in_brackets=True)}: {bracket_text(new[name])}")
            else:
                indent = " " * self._column(node.keys[0].start)
                at = self._line_end(max(node.keys[index].end, node.entries[index].end))
                lines = key_lines(name, new[name])
                yield TextChange(at, at, "".join(f"\n{indent}{line}".rstrip(" ") for line in lines))

    def _list_changes(self, node: YamlNode, old: Any, new: Any) -> Iterator[TextChange]:
        before, after = list(map(canonical_value, old)), list(map(canonical_value, new))
        for kind, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if kind == "equal":
                continue
            common = min(end - start, new_end - new_start)
            for index, value in zip(range(start, start + common), new[new_start:], strict=False):
                yield from self.changes(node.entries[index], old[index], value, node)
            kept = [index for index in range(len(before)) if not start + common <= index < end]
            for index in range(start + common, end):
                entry = node.entries[index]
                yield self._cut(node, index, kept, entry.start, entry.end)
            for offset in range(new_start + common, new_end):
                yield self._added_item(node, start + common, new[offset])

    def _added_item(self, node: YamlNode, index: int, value: Any) -> TextChange:
        if node.in_brackets:
            if index == 0:
                at = node.entries[0].start
                return TextChange(at, at, f"{bracket_text(value)}, ")
            at = node.entries[index - 1].end
            return TextChange(at, at, f", {bracket_text(value)}")
        dash = self.text.rindex("-", self._line_start(node.entries[0].start), node.entries[0].start)
        indent = " " * self._column(dash)
        lines = [f"{indent}{line}".rstrip() for line in item_lines(value)]
        if index == 0:
            at = self._line_start(dash)
            return TextChange(at, at, "\n".join(lines) + "\n")
        at = self._line_end(node.entries[index - 1].end)
        return TextChange(at, at, "\n" + "\n".join(lines))

    def _becomes_too_long(self, node: YamlNode, new: Any, holder: YamlNode) -> bool:
        """Whether a mapping in one line needs lines of its own now."""
        if not node.in_brackets or holder.in_brackets or "\n" in self.text[node.start : node.end]:
            return False
        added = len(bracket_text(new)) - (node.end - node.start)
        return isinstance(new, Mapping) and self._line_length(node) + added > MAX_LINE_CHARACTERS and added > 0

    def _replacement(self, node: YamlNode, new: Any, holder: YamlNode) -> TextChange:
        colon = self._colon_of(node, holder)
        has_lines = isinstance(new, str) and "\n" in new and not holder.in_brackets
        if not is_collection(new) and not has_lines:
            return self._scalar_change(node, new, colon, holder.in_brackets)
        start = node.start if colon is None else colon
        end, gap = max(start, node.end), "" if colon is None else " "
        if has_lines:
            return TextChange(start, end, gap + self._literal(new, start))
        if holder.in_brackets or (fits_line(new) and not self._needs_lines(node, new)):
            return TextChange(start, end, gap + bracket_text(new))
        first, *others = block_lines(new)
        column = self._column(node.start) if colon is None else self._indent_of_key(colon) + 2
        break_before = "" if colon is None else f"\n{' ' * column}"
        return TextChange(start, end, break_before + first + "".join(f"\n{' ' * column}{line}" for line in others))

    def _needs_lines(self, node: YamlNode, new: Any) -> bool:
        """Whether the collection has lines of its own already, or does not fit into its line."""
        if node.kind == "scalar" or not node.entries:
            return False
        added = len(bracket_text(new)) - (node.end - node.start)
        return bool(new) and (not node.in_brackets or self._line_length(node) + added > MAX_LINE_CHARACTERS)

    def _line_length(self, node: YamlNode) -> int:
        return self._line_end(node.end) - self._line_start(node.start)

    def _colon_of(self, node: YamlNode, holder: YamlNode) -> int | None:
        """Behind the colon of the node's key; None for an item of a list."""
        if not holder.keys:
            return None
        index = next(index for index, entry in enumerate(holder.entries) if entry is node)
        return self.text.index(":", holder.keys[index].end) + 1

    def _scalar_change(self, node: YamlNode, new: Any, colon: int | None, in_brackets: bool) -> TextChange:
        is_inline = node.kind == "scalar" and node.style not in BLOCK_STYLES and not node.is_absent
        # An empty text has quotes because it is empty.
        written = scalar_text(new, node.style if is_inline and node.text else "", in_brackets=in_brackets)
        if is_inline or node.in_brackets or colon is None:
            return TextChange(node.start, node.end, written)
        return TextChange(colon, max(colon, node.end), f" {written}")

    def _literal(self, text: str, start: int) -> str:
        """A text of several lines, below "|" if a literal can hold it."""
        lines = literal_lines(text)
        if not lines:
            return scalar_text(text, '"')
        indent = " " * (self._indent_of_key(start) + 2)
        return lines[0] + "".join(f"\n{indent}{line}".rstrip(" ") for line in lines[1:])

    def _indent_of_key(self, at: int) -> int:
        """The column of the key in this line, behind its dashes."""
        line = self.text[self._line_start(at) : self._line_end(at)]
        return len(line) - len(line.lstrip(" -"))

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        line_break = self.text.find("\n", at)
        return len(self.text) if line_break < 0 else line_break

    def _column(self, at: int) -> int:
        return at - self._line_start(at)


class _CoarseWriter(_Writer):
    """Writes the whole value of an outermost key where the small changes did not do."""

    def changes(self, node: YamlNode, old: Any, new: Any, holder: YamlNode) -> Iterator[TextChange]:
        if not same_value(old, new):
            yield self._replacement(node, new, holder)


def _renamed_keys(old: list[str], new: list[str]) -> dict[str, str]:
    """Old name → new name of a key that has another name at the same place, if there is one."""
    gone, added = [key for key in old if key not in new], [key for key in new if key not in old]
    if len(gone) == len(added) == 1 and len(old) == len(new) and old.index(gone[0]) == new.index(added[0]):
        return {gone[0]: added[0]}
    return {}
