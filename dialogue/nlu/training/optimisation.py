"""Making a program for a language model out of lessons, by DSPy's optimizers. Imports DSPy: load it only to use it."""

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import dspy

from dialogue.nlu.llm.client import model_of
from dialogue.nlu.llm.model_answer import Said
from dialogue.nlu.llm.programs import MOST_DEMOS, Artefact, Demo, Optimizer, Unlearnable, dspy_version, signature_digest
from dialogue.nlu.llm.signatures import SoniDU
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.training.command_equivalence import Verdict
from dialogue.nlu.training.labelled_examples import Lesson, digest_of, sampled
from dialogue.nlu.training.trainset import Exercise, exercises, varied

DEMOS, BOOTSTRAPPED = 8, 4
CANDIDATES, TRIALS = 3, 5
GEPA_ROUNDS = 4
MOST_EXERCISES = 60

Progress = Callable[[int, int], None]


class OptimizerMissing(Unlearnable):
    """A package that this optimizer needs is not installed."""


class ModelUnfit(Unlearnable):
    """The language model's answers do not suffice for this optimizer; the message says why."""


class NothingToLearn(Unlearnable):
    """There is no lesson that a language model could learn from."""


@dataclass
class Teacher:
    """Judges answers, and tells how many it has judged so far of about how many."""

    known: Sequence[Exercise]
    about: int
    progress: Progress
    judged: int = field(default=0)

    def exact(self, example: Any, prediction: Any, trace: Any = None) -> bool:
        """Did the answer mean just what it should?"""
        return self._verdict(example, prediction).exact

    def score(self, example: Any, prediction: Any, trace: Any = None, *names: Any) -> Any:
        """The same with words for it, from which instructions are improved."""
        verdict = self._verdict(example, prediction)
        found = len(verdict.right) / max(1, len(verdict.right | verdict.missed | verdict.surplus))
        return dspy.Prediction(score=found, feedback=_feedback(verdict))

    def _verdict(self, example: Any, prediction: Any) -> Verdict:
        self.judged += 1
        self.progress(min(self.judged, self.about), self.about)
        exercise: Exercise = self.known[example.place]
        return exercise.judged(_answered(prediction))


def optimise(
    lessons: Sequence[Lesson],
    optimizer: Optimizer,
    settings: NLUSettings,
    progress: Progress = lambda done, of: None,
) -> Artefact:
    """A program for this model. Takes from no time (nearest, labeled) to hours, and calls the model accordingly.

    Raises NothingToLearn, ModelUnfit and OptimizerMissing.
    """
    known = _taught(lessons, optimizer)
    if not known:
        raise NothingToLearn(NothingToLearn.__doc__)
    examples = [_example(place, exercise) for place, exercise in enumerate(known)]
    teacher = Teacher(known, _calls(optimizer, len(known)), progress)
    lm = model_of(settings).copy()
    try:
        with dspy.context(lm=lm, adapter=dspy.JSONAdapter()):
            made = MAKERS[optimizer](_student(), examples, teacher)
    except dspy.AdapterParseError as why:
        raise ModelUnfit(f"what the model said to {optimizer} could not be read") from why
    except (dspy.LMError, dspy.DSPyError) as why:
        raise ModelUnfit(f"the model gave no answer to {optimizer}: {type(why).__name__}") from why
    return Artefact(
        signature=signature_digest(),
        dspy=dspy_version(),
        model=settings.model,
        optimizer=optimizer,
        data=digest_of(lessons),
        instructions=made.understand.signature.instructions,
        demos=tuple(_demo(each, known, optimizer) for each in made.understand.demos[:MOST_DEMOS]),
    )


def _taught(lessons: Sequence[Lesson], optimizer: Optimizer) -> list[Exercise]:
    """A few that show much; by chance, as messages come, where each is asked with those nearest to it."""
    if optimizer == "nearest":
        return exercises(sampled(lessons, MOST_DEMOS))
    return varied(exercises(lessons), MOST_EXERCISES)


def _student() -> SoniDU:
    student = SoniDU()
    student.understand.demos = []
    return student


def _example(place: int, exercise: Exercise) -> Any:
    shown = exercise.short().model_dump()
    return dspy.Example(**{**shown, "commands": list(exercise.demo.commands)}, place=place).with_inputs(
        "flows", "situation", "last_bot_message", "message"
    )


def _demo(example: Any, known: Sequence[Exercise], optimizer: Optimizer) -> Demo:
    """A demonstration with its short list of flows, whatever the optimizer has added to it."""
    if "place" in example:
        exercise: Exercise = known[example.place]
        return exercise.brief() if optimizer == "nearest" else exercise.short()
    fields = {name: str(example.get(name, "")) for name in ("flows", "situation", "last_bot_message", "message")}
    return Demo(**fields, commands=tuple(_answered(example)))


def _answered(prediction: Any) -> list[Said]:
    said = prediction.get("commands") if hasattr(prediction, "get") else None
    return [Said.model_validate(each) for each in said or ()]


def _feedback(verdict: Verdict) -> str:
    if verdict.exact:
        return "Right."
    missed = ", ".join(f"{each.kind} {' '.join(map(str, each.what))}" for each in verdict.missed) or "nothing"
    surplus = ", ".join(f"{each.kind} {' '.join(map(str, each.what))}" for each in verdict.surplus) or "nothing"
    return f"Missing: {missed}. Wrongly given: {surplus}."


def _calls(optimizer: Optimizer, exercises: int) -> int:
    """About how many answers will be judged; how progress is measured."""
    return {
        "nearest": 1,
        "labeled": 1,
        "bootstrap": exercises,
        "mipro": exercises * (TRIALS + 1),
        "gepa": exercises * GEPA_ROUNDS,
    }[optimizer]


def _nearest(student: SoniDU, examples: list[Any], teacher: Teacher) -> Any:
    """All of them; which ones a message is asked with is chosen then."""
    student.understand.demos = examples
    teacher.progress(1, 1)
    return student


def _labeled(student: SoniDU, examples: list[Any], teacher: Teacher) -> Any:
    made = dspy.LabeledFewShot(k=DEMOS).compile(student, trainset=examples, sample=False)
    teacher.progress(1, 1)
    return made


def _bootstrap(student: SoniDU, examples: list[Any], teacher: Teacher) -> Any:
    maker = dspy.BootstrapFewShot(
        metric=teacher.exact, max_bootstrapped_demos=BOOTSTRAPPED, max_labeled_demos=DEMOS, max_errors=2 * len(examples)
    )
    return maker.compile(student, teacher=SoniDU(), trainset=examples)


def _mipro(student: SoniDU, examples: list[Any], teacher: Teacher) -> Any:
    if importlib.util.find_spec("optuna") is None:
        raise OptimizerMissing("mipro needs the package optuna; install requirements/optimise.txt, which has it")
    maker = dspy.MIPROv2(
        metric=lambda *given: float(teacher.exact(*given)),
        auto=None,
        num_candidates=CANDIDATES,
        max_bootstrapped_demos=BOOTSTRAPPED,
        max_labeled_demos=DEMOS,
        num_threads=1,
        max_errors=len(examples) * TRIALS,
    )
    half = max(1, len(examples) // 2)
    return maker.compile(
        student, trainset=examples[:half], valset=examples[half:] or examples, num_trials=TRIALS, minibatch=False
    )


def _gepa(student: SoniDU, examples: list[Any], teacher: Teacher) -> Any:
    student.understand.demos = examples[:DEMOS]
    maker = dspy.GEPA(
        metric=teacher.score,
        max_metric_calls=len(examples) * GEPA_ROUNDS,
        reflection_lm=dspy.settings.lm.copy(max_tokens=2_000),
        num_threads=1,
    )
    rest = examples[DEMOS:] or examples
    half = max(1, len(rest) // 2)
    return maker.compile(student, trainset=rest[:half], valset=rest[half:] or rest)


MAKERS: dict[Optimizer, Callable[[SoniDU, list[Any], Teacher], Any]] = {
    "nearest": _nearest,
    "labeled": _labeled,
    "bootstrap": _bootstrap,
    "mipro": _mipro,
    "gepa": _gepa,
}
