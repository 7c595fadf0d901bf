"""Running scenario files, one scenario after the other, on the database that Django is connected to."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dialogue.library.knowledge.documents import DocumentRefused, load_documents
from dialogue.scenarios.doubles import StubbedWorld, ValueReader
from dialogue.scenarios.environment import ScenarioEnvironment, build_environment
from dialogue.scenarios.format.files import Scenario
from dialogue.scenarios.format.reading import Script, read_script
from dialogue.scenarios.outcome.coverage import Coverage
from dialogue.scenarios.outcome.results import ScenarioResult
from dialogue.scenarios.play import BuildNLU, ScenarioPlay
from dialogue.turns import clock
from dialogue.turns.compiled_releases import registered_actions
from dialogue.turns.opening import OpeningRefused


@dataclass(frozen=True)
class RunOptions:
    """How to run: `build_nlu` None feeds the given commands; `coverage` collects what was reached.

    `folder` is played in place of the assistants that files name; `only` are names of scenarios, empty for all.
    """

    build_nlu: BuildNLU | None = None
    coverage: Coverage | None = None
    folder: Path | None = None
    only: frozenset[str] = frozenset()

    def includes(self, scenario: Scenario) -> bool:
        return not self.only or scenario.name in self.only


def run_file(path: Path, options: RunOptions = RunOptions()) -> Iterator[ScenarioResult]:
    """Run the scenarios of one file in its order. Raises FlowProblems for a file or an assistant that is broken."""
    script = read_script(path, options.folder)
    yield from run_scenarios(script, filter(options.includes, script.file.scenarios), options)


def run_scenarios(script: Script, scenarios: Iterable[Scenario], options: RunOptions) -> Iterator[ScenarioResult]:
    """Run some of a script's scenarios."""
    environment = build_environment(script.documents)
    if script.knowledge is not None:
        try:
            load_documents(environment.assistant, script.knowledge)
        except DocumentRefused as error:
            raise script.problem_with_assistant(str(error)) from error
    with asyncio.Runner() as loop:
        for scenario in scenarios:
            yield _run_scenario(script, scenario, environment, loop, options)


def _run_scenario(
    script: Script, scenario: Scenario, environment: ScenarioEnvironment, loop: asyncio.Runner, options: RunOptions
) -> ScenarioResult:
    with clock.frozen(script.file.clock) as frozen_clock:
        environment.apply_settings(scenario.settings)
        definition = environment.definition
        value_reader = ValueReader(frozen_clock, definition.timezone, definition.language)
        without_code = definition.actions.keys() - registered_actions()
        world = StubbedWorld(script.file.stubs, value_reader, without_code=without_code)
        try:
            play = ScenarioPlay(environment, scenario, world, loop, options.build_nlu)
        except OpeningRefused as error:
            text = f"“{scenario.name}” is opened with values that do not fit: {error}"
            raise script.problem_with_assistant(text) from error
        result = play.run_scenario(str(script.path))
        if options.coverage is not None:
            options.coverage.add_reach(result.reach, environment.definition)
    return result
