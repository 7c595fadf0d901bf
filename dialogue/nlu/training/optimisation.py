"""Making a program for a language model out of lessons, by DSPy's optimizers. Imports DSPy: load it only to use it."""

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import dspy

from dialogue.nlu.llm.client import dspy_model
from dialogue.nlu.llm.model_answer import Said
from dialogue.nlu.llm.programs import (
    MAX_DEMOS,
    CannotOptimise,
    Demo,
    LLMProgram,
    Optimizer,
    dspy_version,
    signature_digest,
)
from dialogue.nlu.llm.signatures import SoniDU
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.training.command_equivalence import Verdict
from dialogue.nlu.training.labelled_examples import LabelledExample, examples_digest, sample_examples
from dialogue.nlu.training.trainset import TrainingExample, diverse_sample, training_examples

MAX_LABELLED_DEMOS, MAX_BOOTSTRAPPED_DEMOS = 8, 4
MIPRO_CANDIDATES, MIPRO_TRIALS = 3, 5
GEPA_ROUNDS = 4
MAX_TRAINING_EXAMPLES = 60

Progress = Callable[[int, int], None]


class OptimizerMissing(CannotOptimise):
    """A package that this optimizer needs is not installed."""


class ModelUnfit(CannotOptimise):
    """The language model's answers do not suffice for this optimizer; the message says why."""


class NoUsableExamples(CannotOptimise):
    """There is no lesson that a language model could learn from."""


@dataclass
class AnswerMetric:
    """Judges answers, and tells how many it has judged so far of about how many."""

    training_examples: Sequence[TrainingExample]
    expected_calls: int
    progress: Progress
    judged_calls: int = field(default=0)

    def exact(self, example: Any, prediction: Any, trace: Any = None) -> bool:
        """Did the answer mean just what it should?"""
        return self._verdict(example, prediction).exact

    def score(self, example: Any, prediction: Any, trace: Any = None, *names: Any) -> Any:
        """The same with words for it, from which instructions are improved."""
        verdict = self._verdict(example, prediction)
        found = len(verdict.right) / max(1, len(verdict.right | verdict.missed | verdict.surplus))
        return dspy.Prediction(score=found, feedback=_feedback(verdict))

    def _verdict(self, example: Any, prediction: Any) -> Verdict:
        self.judged_calls += 1
        self.progress(min(self.judged_calls, self.expected_calls), self.expected_calls)
        exercise: TrainingExample = self.training_examples[example.place]
        return exercise.judge_answer(_answered(prediction))


def optimise(
    lessons: Sequence[LabelledExample],
    optimizer: Optimizer,
    settings: NLUSettings,
    progress: Progress = lambda done, of: None,
) -> LLMProgram:
    """A program for this model. Takes from no time (nearest, labeled) to hours, and calls the model accordingly.

    Raises NothingToLearn, ModelUnfit and OptimizerMissing.
    """
    known = _taught(lessons, optimizer)
    if not known:
        raise NoUsableExamples(NoUsableExamples.__doc__)
    examples = [_example(place, exercise) for place, exercise in enumerate(known)]
    teacher = AnswerMetric(known, _calls(optimizer, len(known)), progress)
    lm = dspy_model(settings).copy()
    try:
        with dspy.context(lm=lm, adapter=dspy.JSONAdapter()):
            made = OPTIMIZER_RUNS[optimizer](_student(), examples, teacher)
    except dspy.AdapterParseError as why:
        raise ModelUnfit(f"what the model said to {optimizer} could not be read") from why
    except (dspy.LMError, dspy.DSPyError) as why:
        raise ModelUnfit(f"the model gave no answer to {optimizer}: {type(why).__name__}") from why
    return LLMProgram(
        signature=signature_digest(),
        dspy=dspy_version(),
        model=settings.model,
        optimizer=optimizer,
        data=examples_digest(lessons),
        instructions=made.understand.signature.instructions,
        demos=tuple(_demo(each, known, optimizer) for each in made.understand.demos[:MAX_DEMOS]),
    )


def _taught(lessons: Sequence[LabelledExample], optimizer: Optimizer) -> list[TrainingExample]:
    """A few that show much; by chance, as messages come, where each is asked with those nearest to it."""
    if optimizer == "nearest":
        return training_examples(sample_examples(lessons, MAX_DEMOS))
    return diverse_sample(training_examples(lessons), MAX_TRAINING_EXAMPLES)


def _student() -> SoniDU:
    student = SoniDU()
    student.understand.demos = []
    return student


def _example(place: int, exercise: TrainingExample) -> Any:
    shown = exercise.short_demo().model_dump()
    return dspy.Example(**{**shown, "commands": list(exercise.demo.commands)}, place=place).with_inputs(
        "flows", "situation", "last_bot_message", "message"
    )


def _demo(example: Any, known: Sequence[TrainingExample], optimizer: Optimizer) -> Demo:
    """A demonstration with its short list of flows, whatever the optimizer has added to it."""
    if "place" in example:
        exercise: TrainingExample = known[example.place]
        return exercise.minimal_demo() if optimizer == "nearest" else exercise.short_demo()
    fields = {name: str(example.get(name, "")) for name in ("flows", "situation", "last_bot_message", "message")}
    return Demo(**fields, commands=tuple(_answered(example)))


def _answered(prediction: Any) -> list[Said]:
    said = prediction.get("commands") if hasattr(prediction, "get") else None
    return [Said.model_validate(each) for each in said or ()]


def _feedback(verdict: Verdict) -> str:
    if verdict.exact:
        return "Right."
    missed = ", ".join(f"{each.kind} {' '.join(map(str, each.arguments))}" for each in verdict.missed) or "nothing"
    surplus = ", ".join(f"{each.kind} {' '.join(map(str, each.arguments))}" for each in verdict.surplus) or "nothing"
    return f"Missing: {missed}. Wrongly given: {surplus}."


def _calls(optimizer: Optimizer, exercises: int) -> int:
    """About how many answers will be judged; how progress is measured."""
    return {
        "nearest": 1,
        "labeled": 1,
        "bootstrap": exercises,
        "mipro": exercises * (MIPRO_TRIALS + 1),
        "gepa": exercises * GEPA_ROUNDS,
    }[optimizer]


def _nearest(student: SoniDU, examples: list[Any], teacher: AnswerMetric) -> Any:
    """All of them; which ones a message is asked with is chosen then."""
    student.understand.demos = examples
    teacher.progress(1, 1)
    return student


def _labeled(student: SoniDU, examples: list[Any], teacher: AnswerMetric) -> Any:
    made = dspy.LabeledFewShot(k=MAX_LABELLED_DEMOS).compile(student, trainset=examples, sample=False)
    teacher.progress(1, 1)
    return made


def _bootstrap(student: SoniDU, examples: list[Any], teacher: AnswerMetric) -> Any:
    maker = dspy.BootstrapFewShot(
        metric=teacher.exact,
        max_bootstrapped_demos=MAX_BOOTSTRAPPED_DEMOS,
        max_labeled_demos=MAX_LABELLED_DEMOS,
        max_errors=2 * len(examples),
    )
    return maker.compile(student, teacher=SoniDU(), trainset=examples)


def _mipro(student: SoniDU, examples: list[Any], teacher: AnswerMetric) -> Any:
    if importlib.util.find_spec("optuna") is None:
        raise OptimizerMissing("mipro needs the package optuna; install requirements/optimise.txt, which has it")
    maker = dspy.MIPROv2(
        metric=lambda *given: float(teacher.exact(*given)),
        auto=None,
        num_candidates=MIPRO_CANDIDATES,
        max_bootstrapped_demos=MAX_BOOTSTRAPPED_DEMOS,
        max_labeled_demos=MAX_LABELLED_DEMOS,
        num_threads=1,
        max_errors=len(examples) * MIPRO_TRIALS,
    )
    half = max(1, len(examples) // 2)
    return maker.compile(
        student, trainset=examples[:half], valset=examples[half:] or examples, num_trials=MIPRO_TRIALS, minibatch=False
    )


def _gepa(student: SoniDU, examples: list[Any], teacher: AnswerMetric) -> Any:
    student.understand.demos = examples[:MAX_LABELLED_DEMOS]
    maker = dspy.GEPA(
        metric=teacher.score,
        max_metric_calls=len(examples) * GEPA_ROUNDS,
        reflection_lm=dspy.settings.lm.copy(max_tokens=2_000),
        num_threads=1,
    )
    rest = examples[MAX_LABELLED_DEMOS:] or examples
    half = max(1, len(rest) // 2)
    return maker.compile(student, trainset=rest[:half], valset=rest[half:] or rest)


OPTIMIZER_RUNS: dict[Optimizer, Callable[[SoniDU, list[Any], AnswerMetric], Any]] = {
    "nearest": _nearest,
    "labeled": _labeled,
    "bootstrap": _bootstrap,
    "mipro": _mipro,
    "gepa": _gepa,
}
