"""Evaluate and optimise the NLU on examples from scenarios, for the commands and the page."""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ruamel.yaml import YAML

from dialogue.engine.language.compiler import Assistant as Definition
from dialogue.engine.understanding import NLU, NLUContext, Understanding
from dialogue.library.nlu_programs.programs import Comparison, artefact_of, serving_program
from dialogue.models import Assistant, NLUProgram, ScenarioDocument
from dialogue.nlu.llm.ports import ConversationStores, FixedProgramStore
from dialogue.nlu.llm.programs import LLMProgram, Optimizer, ProgramRefused
from dialogue.nlu.pipeline.nlu_pipeline import build_nlu
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.training.evaluation import EvaluationReport, EvaluationTally
from dialogue.nlu.training.labelled_examples import LabelledExample, read_sentences, sample_examples, split_examples
from dialogue.scenarios.temporary_database import use_temporary_database
from dialogue.scenarios.training_examples import play_examples
from dialogue.turns.compiled_releases import assistant_of

ProgressCallback = Callable[[str, int, int], None]
"""Is told the stage, and how much of about how much of it is done."""

UNLIMITED_FAILURES = 1_000_000
READING, LEARNING, BEFORE, AFTER = "reading", "learning", "before", "after"


class NoExamples(Exception):
    """The data has no message that is labelled with commands."""


class NoModel(Exception):
    """There is no language model: set NLU_MODEL."""


@dataclass(frozen=True)
class TrainingData:
    """What is learned from, and what is held out to be tested with."""

    train: Sequence[LabelledExample]
    held_out: Sequence[LabelledExample]


@dataclass(frozen=True)
class OptimisationRequest:
    """What is to be done: the optimizer, the settings, and how many held-out turns are asked (None: all)."""

    optimizer: Optimizer
    settings: NLUSettings
    sample: int | None = None


@dataclass
class NLUPerAssistant:
    """Understanding for lessons of several assistants, and of one with several settings; each is built once."""

    mode: str
    settings: NLUSettings
    program: LLMProgram | None = None
    built: dict[str, NLU] = field(default_factory=dict)

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        digest = context.assistant.digest
        if digest not in self.built:
            self.built[digest] = self._build(context.assistant)
        return await self.built[digest].understand(message, context)

    def _build(self, assistant: Definition) -> NLU:
        nlu = build_nlu(assistant, self.mode, self.settings)
        nlu.prepare()
        return nlu.with_stores(ConversationStores(programs=FixedProgramStore(self.program)))


def examples_at(paths: Iterable[Path], assistant: Definition | None = None) -> list[LabelledExample]:
    """The lessons of scenario files and folders, and of `.jsonl` files of labelled sentences about `assistant`.

    For a process of its own: scenarios are played in a database of theirs. Raises FlowProblems, LessonRefused.
    """
    files = list(paths)
    sentences = [path for path in files if path.suffix == ".jsonl"]
    examples = [example for path in sentences for example in _read_sentences(path, assistant)]
    scenario_files = [path for path in files if path not in sentences]
    if scenario_files:
        with use_temporary_database():
            examples += play_examples(scenario_files)
    return examples


def _read_sentences(path: Path, assistant: Definition | None) -> list[LabelledExample]:
    if assistant is None:
        raise NoExamples(f"{path} holds sentences: name the assistant whose flows they are about")
    with path.open(encoding="utf-8") as lines:
        return list(read_sentences(lines, assistant))


def own_examples(assistant: Assistant) -> list[LabelledExample]:
    """The lessons of the assistant's own scenarios, as they stand, with the flows of its active release."""
    if assistant.active_release is None:
        return []
    documents = assistant.active_release.documents()
    with TemporaryDirectory(prefix="lessons-") as name:
        folder = Path(name)
        (folder / "flows").mkdir()
        for file, text in documents.items():
            (folder / "flows" / file).write_text(text, encoding="utf-8")
        scenarios = [_write_scenario_file(row, folder) for row in ScenarioDocument.objects.filter(assistant=assistant)]
        return examples_at(scenarios)


def _write_scenario_file(row: ScenarioDocument, folder: Path) -> Path:
    """The document as a file whose assistant lies beside it."""
    tree = {**dict(YAML(typ="safe").load(row.text) or {}), "assistant": "flows"}
    path = folder / row.filename
    path.write_text(json.dumps(tree, ensure_ascii=False, default=str), encoding="utf-8")
    return path


def active_definition(assistant: Assistant) -> Definition | None:
    """The flows of the active release."""
    return assistant_of(assistant.active_release) if assistant.active_release else None


def split_training_data(examples: Sequence[LabelledExample]) -> TrainingData:
    """Half to learn from, half held out, by the hash of what is said."""
    return TrainingData(*split_examples(examples))


def evaluate_examples(
    mode: str,
    settings: NLUSettings,
    examples: Sequence[LabelledExample],
    program: LLMProgram | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> EvaluationReport:
    """How well these lessons are understood. Raises NoExamples."""
    if not examples:
        raise NoExamples(NoExamples.__doc__)
    nlu, tally = NLUPerAssistant(mode, settings, program), EvaluationTally()
    with asyncio.Runner() as loop:
        for done, example in enumerate(examples, 1):
            loop.run(tally.ask(nlu, example))
            progress(done, len(examples))  # outside the loop, since the callback may write to the database
    return tally.report()


def compare_programs(
    assistant: Assistant,
    artefact: LLMProgram,
    held_out: Sequence[LabelledExample],
    settings: NLUSettings,
    progress: ProgressCallback,
) -> Comparison:
    """The program beside the one that serves, both always asked, on the same lessons."""
    before = serving_program(assistant)
    baseline = evaluate_examples("llm", settings, held_out, _usable_program(before), _stage_progress(progress, BEFORE))
    report = evaluate_examples("llm", settings, held_out, artefact, _stage_progress(progress, AFTER))
    return Comparison(report, baseline, before)


def optimise_program(
    assistant: Assistant, data: TrainingData, request: OptimisationRequest, progress: ProgressCallback
) -> tuple[LLMProgram, Comparison]:
    """A new program from what is taught, compared on what is held out. Raises NoModel, NoExamples, OptimizerMissing."""
    if not request.settings.has_model:
        raise NoModel(NoModel.__doc__)
    if not data.train or not data.held_out:
        raise NoExamples(NoExamples.__doc__)
    from dialogue.nlu.training.optimisation import optimise

    artefact = optimise(data.train, request.optimizer, request.settings, _stage_progress(progress, LEARNING))
    held_out = sample_examples(data.held_out, request.sample)
    return artefact, compare_programs(assistant, artefact, held_out, request.settings, progress)


def patient_settings(settings: NLUSettings, seconds: float) -> NLUSettings:
    """With more time for an answer than a user would wait, and without giving a model up that fails."""
    return replace(settings, time_limit=max(seconds, settings.time_limit), max_failures=UNLIMITED_FAILURES)


def _usable_program(row: NLUProgram | None) -> LLMProgram | None:
    """What serves; one that may not serve here does not, and the built-in one is compared with."""
    try:
        return artefact_of(row) if row else None
    except ProgramRefused:
        return None


def _stage_progress(progress: ProgressCallback, name: str) -> Callable[[int, int], None]:
    return lambda done, of: progress(name, done, of)
