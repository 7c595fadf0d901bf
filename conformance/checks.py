"""The three columns of the table: answered in a browser, 32 deciders at once, and -9 at every named point."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from campaigns.support.busy_bank import at_once
from conformance.desk import Desk
from conformance.desk_process import MAX_DECIDERS
from conformance.ecosystems import Case, Ecosystem
from conformance.program_process import ProgramProcess

if TYPE_CHECKING:
    from playwright.sync_api import Page

OPENING_POINTS = ("R1", "R2")
"""Here the desk ends before a person can decide."""
POINTS = ("R1", "R2", "C2", "C3", "R5", "R6")
WEBHOOK_POINTS = ("R1", "R2", "C2", "C3", "R3", "R4")
DEADLINE_POINTS = ("D1", "D6")
DEADLINE = "1s"
REST_SECONDS = 60.0
WON, LOST = 201, 409


@dataclass
class Trial:
    """One ecosystem at the desk: its program runs, and every run has an id of its own."""

    ecosystem: Ecosystem
    desk: Desk
    program: ProgramProcess
    runs: list[str] = field(default_factory=list)
    _numbers: "count[int]" = field(default_factory=count)

    def begin(self, **options: Any) -> str:
        """Begin a run; return its id."""
        name = re.sub(r"[^a-z0-9]+", "-", self.ecosystem.name.lower())
        run = f"{name}-{next(self._numbers)}"
        self.runs.append(run)
        self.program.begin(run, webhook=self.ecosystem.webhook, **options)
        return run


Check = Callable[[Trial], Iterator[str]]


def answered_in_browser(page: "Page", trial: Trial) -> Iterator[str]:
    """Yield what went wrong when an operator gave each answer on the gate's page."""
    for case in trial.ecosystem.cases:
        run = trial.begin()
        gate = trial.program.gates(run)[0]
        page.goto(f"{trial.desk.url}/gates/{gate}/")
        for name, value in case.values.items():
            page.locator(f"[name='value.{name}']").first.fill(str(value))
        page.get_by_role("button", name=re.compile(f"^{case.label}(?! with)")).first.click()
        page.locator("#card .decision").wait_for()
        yield from faults_of_run(trial, run, case)
    yield from faults_of_account(trial)


def decided_by_many(trial: Trial) -> Iterator[str]:
    """Yield what went wrong when 32 operators gave different answers at one moment."""
    run = trial.begin()
    gate = trial.program.gates(run)[0]
    cases = trial.ecosystem.cases
    wanted = [cases[place % len(cases)] for place in range(MAX_DECIDERS)]
    answers = at_once([partial(_decide, trial, gate, place, case) for place, case in enumerate(wanted)])
    won = [case for case, answer in zip(wanted, answers, strict=True) if answer.status == WON]
    statuses = sorted(answer.status for answer in answers)
    if len(won) != 1 or statuses.count(LOST) != MAX_DECIDERS - 1:
        yield f"of {MAX_DECIDERS} deciders {len(won)} won: {statuses}"
        return
    yield from faults_of_run(trial, run, won[0])
    yield from faults_of_account(trial)


def killed_at_every_point(trial: Trial, *, is_small: bool = False) -> Iterator[str]:
    """Yield what went wrong when the desk ended by -9 at each point, the last two if it is small, and began again."""
    points = WEBHOOK_POINTS if trial.ecosystem.webhook else POINTS
    for place, point in enumerate(points[-2:] if is_small else points):
        case = trial.ecosystem.cases[place % len(trial.ecosystem.cases)]
        yield from (f"{point}: {fault}" for fault in _killed_at(trial, point, case))
    for point in () if is_small else DEADLINE_POINTS:
        yield from (f"{point}: {fault}" for fault in _killed_at_deadline(trial, point))
    yield from faults_of_account(trial)


def _killed_at(trial: Trial, point: str, case: Case) -> Iterator[str]:
    """Let the desk end at this point. A second person decides beside the first, in case that a decision was lost."""
    _account_at_rest(trial)  # else this end, and the trap, meet the answer of the run before, which has three attempts
    trial.desk.kill()
    trial.desk.start(point)
    run = trial.begin()
    if point in OPENING_POINTS:
        yield from _restart(trial)
        gate = trial.program.gates(run)[0]
        _decide(trial, gate, 0, case)
    else:
        gate = trial.program.gates(run)[0]
        answers: list[Any] = []
        restart = partial(_restart_list, trial)
        results = at_once([partial(_decide, trial, gate, 0, case), restart])
        answers, restarts = results[:1], results[1]
        yield from restarts
        yield from (f"the decision got {answer.status}" for answer in answers if answer.status not in (200, WON))
    yield from faults_of_run(trial, run, case)


def _killed_at_deadline(trial: Trial, point: str) -> Iterator[str]:
    _account_at_rest(trial)
    trial.desk.kill()
    trial.desk.start(point)
    run = trial.begin(timeout=DEADLINE)
    yield from _restart(trial)
    yield from faults_of_run(trial, run, Case("", ""))


def _restart_list(trial: Trial) -> Any:
    return list(_restart(trial))


def _restart(trial: Trial) -> Iterator[str]:
    if not trial.desk.wait_for_end():
        yield "the desk did not pass the point"
        trial.desk.kill()
    trial.desk.start()


def _decide(trial: Trial, gate: str, place: int, case: Case) -> Any:
    return trial.desk.decide(gate, f"operator-{place}", case.action, case.values)


def faults_of_run(trial: Trial, run: str, case: Case) -> Iterator[str]:
    """Yield where a run did something else than was decided."""
    report = trial.program.end(run)
    ran = report.get("tool", [])
    expected = [] if case.runs_with is None else [case.runs_with]
    if ran != expected:
        yield f"{run}: after “{case.action}” the tool ran with {ran}, expected {expected}"
    if len(report["end"]) != 1 or len(report.get("answer", [])) != 1:
        yield f"{run}: {len(report.get('answer', []))} answers and {len(report['end'])} ends"


def _account_at_rest(trial: Trial) -> Any:
    """Return the account once everything is marked as delivered: a program may go on before its desk has noted that."""
    until = time.monotonic() + REST_SECONDS
    while True:
        account = trial.desk.account(trial.runs)
        if not account["undelivered"] or time.monotonic() > until:
            return account
        time.sleep(0.5)


def faults_of_account(trial: Trial) -> Iterator[str]:
    """Yield what the desk stores otherwise than it should, about the runs so far."""
    account = _account_at_rest(trial)
    missing = sorted(set(trial.runs) - account["requests"].keys())
    yield from (f"the request {run} is lost" for run in missing)
    yield from (f"{ref} has {times} accepted decisions" for ref, times in account["accepted"].items() if times > 1)
    yield from (f"{gate} was not delivered" for gate in account["undelivered"])
    yield from account["broken"]
    for run in trial.runs:
        answer = trial.program.end(run)["answer"][0]["answer"]
        if run in account["requests"] and answer != account["requests"][run]["answer"]:
            yield f"{run} got {answer}, stored is {account['requests'][run]['answer']}"
