"""Pending tasks keep their identity."""

from dialogue.engine.ports.tasks import (
    Choice,
    CollectTask,
    ConfirmTask,
    HandoffTask,
    HumanTask,
    InformTask,
    OfferTask,
    PendingTask,
    is_for_staff,
    task_from_json,
)

PLACE = {"frame": "trip-1", "flow": "trip", "step": "ask", "visit": 2, "title": "Trip"}
TASKS: list[PendingTask] = [
    CollectTask(**PLACE, slot="city", choices=(Choice("a", "A"),)),  # type: ignore[arg-type]
    ConfirmTask(**PLACE, shown={"amount": "5.00"}, digest="d"),  # type: ignore[arg-type]
    InformTask(**PLACE),  # type: ignore[arg-type]
    OfferTask(**PLACE, offer="clarify"),  # type: ignore[arg-type]
    HumanTask(**PLACE, shown={}, digest="d"),  # type: ignore[arg-type]
    HandoffTask(**PLACE, queue="front"),  # type: ignore[arg-type]
]


def test_a_task_survives_json():
    assert [task_from_json(each.to_json()) for each in TASKS] == TASKS


def test_the_key_names_frame_step_and_visit():
    assert (TASKS[0].node_id, TASKS[0].key) == ("trip-1/ask", "trip-1/ask/2")


def test_each_task_has_a_kind_and_only_the_last_two_are_for_staff():
    assert [each.kind for each in TASKS] == ["collect", "confirm", "inform", "offer", "human", "handoff"]
    assert [is_for_staff(each) for each in TASKS] == [False, False, False, False, True, True]


def test_only_staff_tasks_are_for_staff():
    assert [each.audience for each in TASKS] == ["user", "user", "user", "user", "staff", "staff"]
