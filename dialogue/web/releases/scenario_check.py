"""Scenarios in the publish dialog: their results with the texts that would be published, and runs of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.language.documents import digest_of
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.documents.versions import documents_of
from dialogue.library.nlu_programs.background_runs import RunAlreadyActive
from dialogue.models import Assistant, ScenarioRun
from dialogue.scenarios.runs import MAX_SILENCE, NothingToRun, start_run
from dialogue.turns import clock
from dialogue.web.shared.people import account_of_request, needs
from dialogue.web.shared.percentages import percent_of
from dialogue.web.shared.permissions import may_publish, may_test


@dataclass(frozen=True)
class ScenarioResults:
    """Results of the scenarios that ran with exactly these texts, and how many steps they reach.

    `run` is the run that is going on, whatever its texts; None: none is. `is_broken`: the last run of these texts
    ended before all scenarios had run.
    """

    passed: int
    failed: int
    total: int
    reached_steps: int
    total_steps: int
    run: ScenarioRun | None = None
    is_broken: bool = False

    @property
    def percent(self) -> int:
        return percent_of(self.reached_steps, self.total_steps)

    @property
    def not_run(self) -> int:
        """How many scenarios have not run with these texts."""
        return self.total - self.passed - self.failed


@needs(may_publish)
@needs(may_test)
@require_http_methods(["GET", "POST"])
def check_scenarios(request: HttpRequest, assistant: str) -> HttpResponse:
    """The part of the publish dialog about scenarios; POST runs them with the saved texts.

    A browser without scripts is led back to the dialog.
    """
    home = get_object_or_404(Assistant, name=assistant)
    documents = documents_of(home)
    failure = _start_scenarios(request, home, documents) if request.method == "POST" else ""
    if request.method == "POST" and "HX-Request" not in request.headers:
        return redirect("dialogue:publish", home.name)
    facts = {"assistant": home, "scenarios": scenario_results(home, documents), "failure": failure, "may_test": True}
    return render(request, "dialogue/releases/scenario_check.html", facts, status=409 if failure else 200)


def _start_scenarios(request: HttpRequest, home: Assistant, documents: dict[str, str]) -> str:
    """Why the scenarios could not be started; empty when they run."""
    try:
        load_assistant(documents)
        start_run(home, documents, account_of_request(request))
    except FlowProblems:
        return _("The texts have errors, so the scenarios cannot run.")
    except RunAlreadyActive:
        return _("Scenarios are running already.")
    except NothingToRun:
        return _("There are no scenarios yet.")
    return ""


def scenario_results(assistant: Assistant, documents: Mapping[str, str]) -> ScenarioResults:
    """What the scenarios came to with these texts."""
    digest = digest_of(documents)
    rows = list(assistant.scenarios.values_list("passed", "sha256", "result__reach__steps"))
    results = [(passed, steps or []) for passed, sha256, steps in rows if passed is not None and sha256 == digest]
    reached_steps = {tuple(step) for _passed, steps in results for step in steps}
    all_steps = _steps_of(documents)
    passed_count = sum(bool(passed) for passed, _steps in results)
    run = assistant.scenario_runs.order_by("-pk").first()
    state = ScenarioRun.State
    is_lost = run is not None and run.state == state.RUNNING and run.beat_at < clock.now() - MAX_SILENCE
    is_running = run is not None and run.state == state.RUNNING and not is_lost
    return ScenarioResults(
        passed_count,
        len(results) - passed_count,
        len(rows),
        len(reached_steps & all_steps),
        len(all_steps),
        run=run if is_running else None,
        is_broken=run is not None and run.sha256 == digest and (is_lost or run.state == state.BROKEN),
    )


def _steps_of(documents: Mapping[str, str]) -> set[tuple[Any, ...]]:
    try:
        definition = load_assistant(documents)
    except FlowProblems:
        return set()
    return {(flow.flow, step.step) for flow in definition.flows.values() for step in flow.all_steps()}
