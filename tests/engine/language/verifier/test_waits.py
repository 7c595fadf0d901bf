"""Findings about waits, reminders and time limits."""

import pytest

from dialogue.engine.language.compiler import check_documents

HEAD = """version: 1
assistant: parcels
events:
  parcel_received: {payload: {parcel: text, weight: integer}}
"""
FLOW = """flow: send_back
description: Send back
slots:
  parcel: {type: text, prompt: Which?}
  weight: {type: integer, required: false}
  day: {type: date, prompt: Which day?}
steps:
  - {step: ask, type: collect, slot: parcel}
  - {step: ask_day, type: collect, slot: day}
  - STEP
  - {step: done, type: say, message: Done., next: end}
  - {step: late, type: say, message: "Late, {weight}."}
"""
EVENT = "{step: arrival, type: wait, event: parcel_received, timeout: 5d, on_timeout: late, MORE}"


def findings(step: str) -> list[tuple[str, str]]:
    flow = FLOW.replace("STEP", step)
    problems = check_documents({"assistant.yaml": HEAD, "send_back.yaml": flow})
    return [
        (problem.severity, problem.rule) for problem in problems if problem.rule not in ("unreachable", "never_asked")
    ]


@pytest.mark.parametrize(
    "step",
    [
        EVENT.replace("MORE", "outputs: {weight: weight}, match: {parcel: parcel}"),
        "{step: pause, type: wait, for: 2d}",
        "{step: pause, type: wait, until: day}",
        "{step: more, type: collect, slot: parcel, force: true, reminder: {after: 1h}, timeout: 1d, on_timeout: late}",
    ],
)
def test_a_sound_wait_has_no_findings(step: str):
    assert findings(step) in ([], [("warning", "read_too_early")])


@pytest.mark.parametrize(
    ("step", "finding"),
    [
        (EVENT.replace("MORE", "outputs: {wieght: weight}"), ("error", "unknown_output")),
        (EVENT.replace("MORE", "outputs: {weight: day}"), ("error", "wrong_type")),
        (EVENT.replace("MORE", "outputs: {weight: nothing}"), ("error", "unknown_slot")),
        (EVENT.replace("MORE", "match: {nothing: parcel}"), ("error", "unknown_output")),
        (EVENT.replace("MORE", "match: {weight: day}"), ("error", "wrong_type")),
        (EVENT.replace("parcel_received", "parcel_recieved").replace(", MORE", ""), ("error", "unknown_event")),
        (EVENT.replace("on_timeout: late, MORE", "next: late"), ("error", "no_path")),
        (EVENT.replace("on_timeout: late, MORE", "on_timeout: nowhere"), ("error", "unknown_step")),
        ("{step: arrival, type: wait, event: parcel_received, on_timeout: late}", ("error", "no_timeout")),
        ("{step: arrival, type: wait, event: parcel_received}", ("warning", "no_timeout")),
        ("{step: pause, type: wait, until: weight}", ("error", "wrong_type")),
        ("{step: pause, type: wait, for: 2d, timeout: 3d}", ("error", "not_for_time")),
        ("{step: pause, type: wait}", ("error", "wait_for")),
        ("{step: pause, type: wait, for: 2d, until: day}", ("error", "wait_for")),
        ("{step: pause, type: wait, for: 0s}", ("error", "duration")),
        ("{step: more, type: collect, slot: parcel, timeout: 1d}", ("error", "no_path")),
        ("{step: more, type: collect, slot: parcel, on_timeout: late}", ("error", "no_timeout")),
        (
            "{step: more, type: collect, slot: parcel, reminder: {after: 2d}, timeout: 1d, on_timeout: late}",
            ("warning", "late"),
        ),
        ("{step: more, type: collect, slot: parcel, reminder: {message: Hello}}", ("error", "missing_key")),
    ],
)
def test_a_wait_that_cannot_work_is_found(step: str, finding: tuple[str, str]):
    assert finding in findings(step)


def test_a_circle_through_a_wait_is_no_endless_loop():
    assert ("error", "unbounded_loop") not in findings("{step: pause, type: wait, for: 2d, next: pause}")


def test_a_circle_through_a_wait_for_a_moment_may_never_stop():
    assert ("error", "unbounded_loop") in findings("{step: pause, type: wait, until: day, next: pause}")
