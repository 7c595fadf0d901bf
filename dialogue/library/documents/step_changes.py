"""What differs between two sets of documents, step by step, as an author reads it; texts need not be valid."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise

from dialogue.library.documents.diff import LineRun, common_runs

_STEP = re.compile(r"^(?!\s*#)(?:.*?[\s{,-])?step:\s*[\"']?([a-z][a-z0-9_]*)")
_TYPE = re.compile(r"\btype:\s*[\"']?([a-z]+)")
MAX_DIFF_LINES = 8
ABOVE_STEPS = ""


@dataclass(frozen=True)
class StepChange:
    """One step that is new, gone or changed; `step` is empty for what stands above the steps. `lines` are a diff."""

    flow: str
    step: str
    kind: str
    type: str
    lines: tuple[str, ...] = ()


def changed_steps(before: Mapping[str, str], after: Mapping[str, str]) -> list[StepChange]:
    """Every difference, flow by flow, in the order of the newer texts; what is gone comes after what is there."""
    files = [*after, *(name for name in before if name not in after)]
    return [change for file in files for change in _flow_changes(file, before.get(file, ""), after.get(file, ""))]


def _flow_changes(file: str, old: str, new: str) -> Iterator[StepChange]:
    flow = file.rpartition(".")[0]
    old_steps, new_steps = _lines_by_step(old), _lines_by_step(new)
    for step, text in new_steps.items():
        if step not in old_steps:
            yield StepChange(flow, step, "new", _step_type(text))
        elif _without_comments(old_steps[step]) != _without_comments(text):
            yield StepChange(
                flow,
                step,
                "changed",
                _step_type(text),
                tuple(islice(_diff_lines(_without_comments(old_steps[step]), _without_comments(text)), MAX_DIFF_LINES)),
            )
    for step in old_steps.keys() - new_steps.keys():
        yield StepChange(flow, step, "gone", _step_type(old_steps[step]))


def _lines_by_step(text: str) -> dict[str, list[str]]:
    """The lines of each step, under its name; those above the first step under the empty one."""
    parts: dict[str, list[str]] = {ABOVE_STEPS: []} if text else {}
    step = ABOVE_STEPS
    for line in text.splitlines():
        step = step_beginning_in(line) or step
        parts.setdefault(step, []).append(line)
    return parts


def step_beginning_in(line: str) -> str:
    """The name of the step that begins in this line, or ""; comments begin none."""
    match = _STEP.match(line)
    return match.group(1) if match else ""


def _step_type(lines: list[str]) -> str:
    match = _TYPE.search("\n".join(lines))
    return match.group(1) if match else ""


def _without_comments(lines: list[str]) -> list[str]:
    """Without blank lines and comments, which change nothing."""
    return [line.rstrip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _diff_lines(old: list[str], new: list[str]) -> Iterator[str]:
    for before, run in pairwise([LineRun(0, 0, 0), *common_runs(old, new), LineRun(len(old), len(new), 0)]):
        yield from (f"- {line}" for line in old[before.old + before.size : run.old])
        yield from (f"+ {line}" for line in new[before.new + before.size : run.new])
