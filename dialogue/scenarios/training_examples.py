"""Labelled examples from scenarios: each message with its context and the commands that it means."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.understanding import NLU, NLUContext, Understanding
from dialogue.nlu.training.labelled_examples import ExpectedCommands, LabelledExample
from dialogue.scenarios.doubles import GivenCommands, StubbedWorld, ValueReader
from dialogue.scenarios.environment import ScenarioEnvironment, build_environment
from dialogue.scenarios.format.files import Expected, Scenario
from dialogue.scenarios.format.reading import Script, read_script, scenario_files_at
from dialogue.scenarios.play import ScenarioPlay
from dialogue.turns import clock


@dataclass
class RecordingNLU:
    """Understands by the given commands, and notes what was said where."""

    commands: GivenCommands
    recorded_messages: list[tuple[str, NLUContext]] = field(default_factory=list)

    def __call__(self, assistant: Assistant) -> NLU:
        return self

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        self.recorded_messages.append((message, context))
        return await self.commands.understand(message, context)


def play_examples(paths: Iterable[Path]) -> Iterator[LabelledExample]:
    """Play the scenarios of these files and folders; Django must be connected to a database for this alone.

    Raises FlowProblems for a file or an assistant that is broken.
    """
    for path in scenario_files_at(paths):
        yield from examples_in(read_script(path))


def examples_in(script: Script) -> Iterator[LabelledExample]:
    """The same for one file."""
    environment = build_environment(script.documents)
    with asyncio.Runner() as loop:
        for scenario in script.file.scenarios:
            yield from _play_scenario(script, scenario, environment, loop)


def _play_scenario(
    script: Script, scenario: Scenario, environment: ScenarioEnvironment, loop: asyncio.Runner
) -> list[LabelledExample]:
    commands = GivenCommands()
    recorder = RecordingNLU(commands)
    with clock.frozen(script.file.clock) as frozen_clock:
        environment.apply_settings(scenario.settings)
        definition = environment.definition
        world = StubbedWorld(script.file.stubs, ValueReader(frozen_clock, definition.timezone, definition.language))
        ScenarioPlay(environment, scenario, world, loop, recorder, commands).run_scenario(str(script.path))
    return list(_label_examples(scenario, recorder.recorded_messages))


def _label_examples(scenario: Scenario, recorded_messages: list[tuple[str, NLUContext]]) -> Iterator[LabelledExample]:
    """The turns that say what they mean, each with the note of its message; both are in the order of the turns."""
    remaining_messages = iter(recorded_messages)
    for number, turn in enumerate(scenario.turns, 1):
        if turn.user is None or not turn.commands:
            continue
        context = next((context for message, context in remaining_messages if message == turn.user), None)
        if context is not None:
            expected_commands = tuple(map(_expected_commands, turn.commands))
            yield LabelledExample(turn.user, context, expected_commands, f"{scenario.name}, turn {number}")


def _expected_commands(expected: Expected) -> ExpectedCommands:
    return ExpectedCommands(expected.alternatives, expected.optional)
