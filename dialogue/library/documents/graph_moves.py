"""Steps that an author puts elsewhere on the graph, as the smallest change of the text.

A step moves among the steps of its own list, with the comments right above it.
"""

from dialogue.library.documents.flow_text import (
    EditRefused,
    EditResult,
    FlowText,
    StepItem,
    TextChange,
    step_and_inner_steps,
)


def move(text: str, step: str, after: str) -> EditResult:
    """Put a step, with the comments right above it, behind another step of the same list; "" puts it first."""
    flow = FlowText.read(text)
    item = flow.item(step)
    other = _beside(flow, item, after) if after else None
    start, end = _with_comments(flow, item), flow.last_line_of(item)
    block = flow.text[start:end]
    at = flow.last_line_of(other) if other else _with_comments(flow, _first_of(flow, item))
    if start <= at <= end or (other and other.index == item.index - 1):
        return EditResult([], step)
    insertion = TextChange(at, at, f"\n{block}" if other else f"{block}\n")
    return EditResult([insertion, flow.cut(start, end)], step)


def before(text: str, step: str, other: str) -> EditResult:
    """Put a step right before another of its own list."""
    flow = FlowText.read(text)
    item = flow.item(step)
    names = _names_beside(flow, item)
    place = names.index(_beside(flow, item, other).name)
    rest = [name for name in names[:place] if name != step]
    return move(text, step, rest[-1] if rest else "")


def up(text: str, step: str) -> EditResult:
    """Let a step change places with the one before it."""
    flow = FlowText.read(text)
    names = _names_beside(flow, flow.item(step))
    place = names.index(step)
    return before(text, step, names[place - 1]) if place else EditResult([], step)


def down(text: str, step: str) -> EditResult:
    """Let a step change places with the one behind it."""
    flow = FlowText.read(text)
    names = _names_beside(flow, flow.item(step))
    behind = names[names.index(step) + 1 :]
    return move(text, step, behind[0]) if behind else EditResult([], step)


def _names_beside(flow: FlowText, item: StepItem) -> list[str]:
    """The steps of a step's own list, itself included, in their order."""
    return [each.name for each in flow.items() if each.siblings is item.siblings]


def _beside(flow: FlowText, item: StepItem, name: str) -> StepItem:
    """The step of the same list that is meant by a name: itself, or the loop that has it within. Raises EditRefused."""
    flow.item(name)
    for each in flow.items():
        if each.siblings is item.siblings and name in {inner.name for inner in step_and_inner_steps(each)}:
            if each.name != item.name:
                return each
            break
    raise EditRefused("A step moves among the steps of its own list.")


def _first_of(flow: FlowText, item: StepItem) -> StepItem:
    return next(each for each in flow.items() if each.siblings is item.siblings)


def _with_comments(flow: FlowText, item: StepItem) -> int:
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
