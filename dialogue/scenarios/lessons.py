"""What scenarios teach: every message with the situation in which it is said, and the commands that it means."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.understanding import NLU, NLUContext, Understanding
from dialogue.nlu.training.labelled_examples import ExpectedCommands, LabelledExample
from dialogue.scenarios.doubles import GivenCommands, Setting, StubbedWorld
from dialogue.scenarios.environment import Stage, build_stage
from dialogue.scenarios.format.files import Expected, Scenario
from dialogue.scenarios.format.reading import Script, read_script, scripts_at
from dialogue.scenarios.play import Play
from dialogue.turns import clock


@dataclass
class Notebook:
    """Understands by the given commands, and notes what was said where."""

    given: GivenCommands
    notes: list[tuple[str, NLUContext]] = field(default_factory=list)

    def __call__(self, assistant: Assistant) -> NLU:
        return self

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        self.notes.append((message, context))
        return await self.given.understand(message, context)


def lessons_of(paths: Iterable[Path]) -> Iterator[LabelledExample]:
    """Play the scenarios of these files and folders; Django must be connected to a database for this alone.

    Raises FlowProblems for a file or an assistant that is broken.
    """
    for path in scripts_at(paths):
        yield from lessons_in(read_script(path))


def lessons_in(script: Script) -> Iterator[LabelledExample]:
    """The same for one file."""
    stage = build_stage(script.documents)
    with asyncio.Runner() as loop:
        for scenario in script.file.scenarios:
            yield from _played(script, scenario, stage, loop)


def _played(script: Script, scenario: Scenario, stage: Stage, loop: asyncio.Runner) -> list[LabelledExample]:
    given = GivenCommands()
    notebook = Notebook(given)
    with clock.frozen(script.file.clock) as standing:
        stage.set(scenario.settings)
        definition = stage.definition
        world = StubbedWorld(script.file.stubs, Setting(standing, definition.timezone, definition.language))
        Play(stage, scenario, world, loop, notebook, given).result(str(script.path))
    return list(_paired(scenario, notebook.notes))


def _paired(scenario: Scenario, notes: list[tuple[str, NLUContext]]) -> Iterator[LabelledExample]:
    """The turns that say what they mean, each with the note of its message; both are in the order of the turns."""
    waiting = iter(notes)
    for number, turn in enumerate(scenario.turns, 1):
        if turn.user is None or not turn.commands:
            continue
        context = next((context for message, context in waiting if message == turn.user), None)
        if context is not None:
            wanted = tuple(map(_wanted, turn.commands))
            yield LabelledExample(turn.user, context, wanted, f"{scenario.name}, turn {number}")


def _wanted(place: Expected) -> ExpectedCommands:
    return ExpectedCommands(place.alternatives, place.optional)
