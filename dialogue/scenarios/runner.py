"""Running scenario files, one scenario after the other, on the database that Django is connected to."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dialogue.library.knowledge.documents import DocumentRefused, load_documents
from dialogue.scenarios.doubles import Setting, StubbedWorld
from dialogue.scenarios.environment import Stage, build_stage
from dialogue.scenarios.format.files import Scenario
from dialogue.scenarios.format.reading import Script, read_script
from dialogue.scenarios.outcome.coverage import Coverage
from dialogue.scenarios.outcome.results import ScenarioResult
from dialogue.scenarios.play import Play, Understand
from dialogue.turns import clock


@dataclass(frozen=True)
class Options:
    """How to run: `understand` None feeds the given commands; `coverage` collects what was reached.

    `folder` is played in place of the assistants that files name; `only` are names of scenarios, empty for all.
    """

    understand: Understand | None = None
    coverage: Coverage | None = None
    folder: Path | None = None
    only: frozenset[str] = frozenset()

    def wants(self, scenario: Scenario) -> bool:
        return not self.only or scenario.name in self.only


def run_file(path: Path, options: Options = Options()) -> Iterator[ScenarioResult]:
    """Run the scenarios of one file in its order. Raises FlowProblems for a file or an assistant that is broken."""
    script = read_script(path, options.folder)
    yield from run_scenarios(script, filter(options.wants, script.file.scenarios), options)


def run_scenarios(script: Script, scenarios: Iterable[Scenario], options: Options) -> Iterator[ScenarioResult]:
    """Run some of a script's scenarios."""
    stage = build_stage(script.documents)
    if script.knowledge is not None:
        try:
            load_documents(stage.assistant, script.knowledge)
        except DocumentRefused as error:
            raise script.refused(str(error)) from error
    with asyncio.Runner() as loop:
        for scenario in scenarios:
            yield _run(script, scenario, stage, loop, options)


def _run(script: Script, scenario: Scenario, stage: Stage, loop: asyncio.Runner, options: Options) -> ScenarioResult:
    with clock.frozen(script.file.clock) as standing:
        stage.set(scenario.settings)
        definition = stage.definition
        setting = Setting(standing, definition.timezone, definition.language)
        world = StubbedWorld(script.file.stubs, setting)
        play = Play(stage, scenario, world, loop, options.understand)
        result = play.result(str(script.path))
        if options.coverage is not None:
            options.coverage.add(result.reach, stage.definition)
    return result
