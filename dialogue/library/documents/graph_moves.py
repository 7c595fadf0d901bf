"""Moves of steps on the graph as the smallest change of the flow's text.

A step moves among the steps of its own list, with the comments right above it.
"""

from dialogue.engine.source.phrases import Phrase
from dialogue.library.documents.flow_text import (
    EditRefused,
    EditResult,
    FlowText,
    StepItem,
    TextChange,
    step_and_inner_steps,
)


def move_after(text: str, step: str, after: str) -> EditResult:
    """Put a step, with the comments right above it, behind another step of the same list; "" puts it first."""
    flow = FlowText.read(text)
    item = flow.step_item(step)
    other = _sibling_of(flow, item, after) if after else None
    start, end = _block_start(flow, item), flow.last_line_of(item)
    block = flow.text[start:end]
    at = flow.last_line_of(other) if other else _block_start(flow, _first_sibling(flow, item))
    if start <= at <= end or (other and other.index == item.index - 1):
        return EditResult([], step)
    insertion = TextChange(at, at, f"\n{block}" if other else f"{block}\n")
    return EditResult([insertion, flow.cut_lines(start, end)], step)


def move_before(text: str, step: str, other: str) -> EditResult:
    """Put a step right before another of its own list. Raises EditRefused."""
    flow = FlowText.read(text)
    item = flow.step_item(step)
    names = _sibling_names(flow, item)
    index = names.index(_sibling_of(flow, item, other).name)
    preceding = [name for name in names[:index] if name != step]
    return move_after(text, step, preceding[-1] if preceding else "")


def move_up(text: str, step: str) -> EditResult:
    """Swap a step with the one before it. Raises EditRefused."""
    flow = FlowText.read(text)
    names = _sibling_names(flow, flow.step_item(step))
    index = names.index(step)
    return move_before(text, step, names[index - 1]) if index else EditResult([], step)


def move_down(text: str, step: str) -> EditResult:
    """Swap a step with the one after it. Raises EditRefused."""
    flow = FlowText.read(text)
    names = _sibling_names(flow, flow.step_item(step))
    following = names[names.index(step) + 1 :]
    return move_after(text, step, following[0]) if following else EditResult([], step)


def _sibling_names(flow: FlowText, item: StepItem) -> list[str]:
    """The steps of a step's own list, itself included, in their order."""
    return [sibling.name for sibling in flow.step_items() if sibling.siblings is item.siblings]


def _sibling_of(flow: FlowText, item: StepItem, name: str) -> StepItem:
    """The step of the same list that is meant by a name: itself, or the loop that has it within. Raises EditRefused."""
    flow.step_item(name)
    for candidate in flow.step_items():
        if candidate.siblings is item.siblings and name in {inner.name for inner in step_and_inner_steps(candidate)}:
            if candidate.name != item.name:
                return candidate
            break
    raise EditRefused(Phrase("A step moves among the steps of its own list."))


def _first_sibling(flow: FlowText, item: StepItem) -> StepItem:
    return next(candidate for candidate in flow.step_items() if candidate.siblings is item.siblings)


def _block_start(flow: FlowText, item: StepItem) -> int:
    """Where the comments begin that stand right above the step, in its column."""
    start = flow.dash_of(item)
    indent = flow.indent_of(item)
    while start:
        above = flow.line_start(start - 1)
        line = flow.text[above : start - 1]
        if not (line.lstrip().startswith("#") and len(line) - len(line.lstrip()) == indent):
            break
        start = above
    return start
