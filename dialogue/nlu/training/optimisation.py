"""Optimise a program for a language model on labelled examples, with DSPy. Imports DSPy: import this module lazily."""

import importlib.util
from collections.abc import Callable, Iterable, Sequence
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
from dialogue.nlu.training.command_equivalence import CommandMeaning, Verdict
from dialogue.nlu.training.labelled_examples import LabelledExample, examples_digest, sample_examples
from dialogue.nlu.training.trainset import TrainingExample, diverse_sample, training_examples

MAX_LABELLED_DEMOS, MAX_BOOTSTRAPPED_DEMOS = 8, 4
MIPRO_CANDIDATES, MIPRO_TRIALS = 3, 5
GEPA_ROUNDS = 4
MAX_TRAINING_EXAMPLES = 60

Progress = Callable[[int, int], None]
"""Called with the number of judged answers, and about how many there will be."""


class OptimizerMissing(CannotOptimise):
    """A package that this optimizer needs is not installed."""


class ModelUnfit(CannotOptimise):
    """The language model's answers do not suffice for this optimizer. The message gives the reason."""


class NoUsableExamples(CannotOptimise):
    """There is no labelled example that a language model could learn from."""


@dataclass
class AnswerMetric:
    """The metric of the optimizers: judges answers, and reports the progress."""

    training_examples: Sequence[TrainingExample]
    expected_calls: int
    progress: Progress
    judged_calls: int = field(default=0)

    def exact(self, example: Any, prediction: Any, trace: Any = None) -> bool:
        """Whether the answer means exactly the expected commands."""
        return self._judge(example, prediction).exact

    def score(self, example: Any, prediction: Any, trace: Any = None, *names: Any) -> Any:
        """Score with a feedback text, from which GEPA improves the instructions."""
        verdict = self._judge(example, prediction)
        score = len(verdict.right) / max(1, len(verdict.right | verdict.missed | verdict.surplus))
        return dspy.Prediction(score=score, feedback=_feedback_text(verdict))

    def _judge(self, example: Any, prediction: Any) -> Verdict:
        self.judged_calls += 1
        self.progress(min(self.judged_calls, self.expected_calls), self.expected_calls)
        training_example: TrainingExample = self.training_examples[example.number]
        return training_example.judge_answer(_read_answer(prediction))


def optimise(
    labelled_examples: Sequence[LabelledExample],
    optimizer: Optimizer,
    settings: NLUSettings,
    progress: Progress = lambda done, of: None,
) -> LLMProgram:
    """Optimise a program for the model in `settings`. It takes from seconds (nearest, labeled) to hours of model calls.

    Raises NoUsableExamples, ModelUnfit and OptimizerMissing.
    """
    training_set = _choose_examples(labelled_examples, optimizer)
    if not training_set:
        raise NoUsableExamples(NoUsableExamples.__doc__)
    # Numbered, because the optimizers copy examples: the number leads back to the original.
    examples = [_dspy_example(number, training_example) for number, training_example in enumerate(training_set)]
    metric = AnswerMetric(training_set, _expected_calls(optimizer, len(training_set)), progress)
    lm = dspy_model(settings).copy()
    module = SoniDU()
    module.understand.demos = []  # the optimizer chooses them
    try:
        with dspy.context(lm=lm, adapter=dspy.JSONAdapter()):
            optimised = OPTIMIZER_RUNS[optimizer](module, examples, metric)
    except dspy.AdapterParseError as error:
        raise ModelUnfit(f"the answers of the model to {optimizer} could not be read") from error
    except (dspy.LMError, dspy.DSPyError) as error:
        raise ModelUnfit(f"the model gave no answer to {optimizer}: {type(error).__name__}") from error
    return LLMProgram(
        signature=signature_digest(),
        dspy=dspy_version(),
        model=settings.model,
        optimizer=optimizer,
        data=examples_digest(labelled_examples),
        instructions=optimised.understand.signature.instructions,
        demos=tuple(_read_demo(demo, training_set, optimizer) for demo in optimised.understand.demos[:MAX_DEMOS]),
    )


def _choose_examples(labelled_examples: Sequence[LabelledExample], optimizer: Optimizer) -> list[TrainingExample]:
    """A few diverse examples; a random sample for "nearest", which chooses again for each message."""
    if optimizer == "nearest":
        return training_examples(sample_examples(labelled_examples, MAX_DEMOS))
    return diverse_sample(training_examples(labelled_examples), MAX_TRAINING_EXAMPLES)


def _dspy_example(number: int, training_example: TrainingExample) -> Any:
    fields = training_example.short_demo().model_dump()
    return dspy.Example(**{**fields, "commands": list(training_example.demo.commands)}, number=number).with_inputs(
        "flows", "situation", "last_bot_message", "message"
    )


def _read_demo(example: Any, training_set: Sequence[TrainingExample], optimizer: Optimizer) -> Demo:
    """Read a demonstration of the optimizer; a known example gets its shortened list of flows."""
    # Only examples of the training set have a number; bootstrapped demonstrations are answers of the model.
    if "number" in example:
        training_example: TrainingExample = training_set[example.number]
        return training_example.minimal_demo() if optimizer == "nearest" else training_example.short_demo()
    fields = {name: str(example.get(name, "")) for name in ("flows", "situation", "last_bot_message", "message")}
    return Demo(**fields, commands=tuple(_read_answer(example)))


def _read_answer(prediction: Any) -> list[Said]:
    answer = prediction.get("commands") if hasattr(prediction, "get") else None
    return [Said.model_validate(entry) for entry in answer or ()]


def _feedback_text(verdict: Verdict) -> str:
    if verdict.exact:
        return "Right."
    return f"Missing: {_meanings_text(verdict.missed)}. Wrongly given: {_meanings_text(verdict.surplus)}."


def _meanings_text(meanings: Iterable[CommandMeaning]) -> str:
    return ", ".join(f"{meaning.kind} {' '.join(map(str, meaning.arguments))}" for meaning in meanings) or "nothing"


def _expected_calls(optimizer: Optimizer, examples: int) -> int:
    """About how many answers will be judged, for the progress."""
    return {
        "nearest": 1,
        "labeled": 1,
        "bootstrap": examples,
        "mipro": examples * (MIPRO_TRIALS + 1),
        "gepa": examples * GEPA_ROUNDS,
    }[optimizer]


def _run_nearest(module: SoniDU, examples: list[Any], metric: AnswerMetric) -> Any:
    """Keep all examples: the nearest ones are chosen for each message (see `few_shot`)."""
    module.understand.demos = examples
    metric.progress(1, 1)
    return module


def _run_labeled(module: SoniDU, examples: list[Any], metric: AnswerMetric) -> Any:
    optimised = dspy.LabeledFewShot(k=MAX_LABELLED_DEMOS).compile(module, trainset=examples, sample=False)
    metric.progress(1, 1)
    return optimised


def _run_bootstrap(module: SoniDU, examples: list[Any], metric: AnswerMetric) -> Any:
    optimizer = dspy.BootstrapFewShot(
        metric=metric.exact,
        max_bootstrapped_demos=MAX_BOOTSTRAPPED_DEMOS,
        max_labeled_demos=MAX_LABELLED_DEMOS,
        max_errors=2 * len(examples),
    )
    return optimizer.compile(module, teacher=SoniDU(), trainset=examples)


def _run_mipro(module: SoniDU, examples: list[Any], metric: AnswerMetric) -> Any:
    if importlib.util.find_spec("optuna") is None:
        raise OptimizerMissing("mipro needs the package optuna; install requirements/optimise.txt, which has it")
    optimizer = dspy.MIPROv2(
        metric=lambda *args: float(metric.exact(*args)),
        auto=None,
        num_candidates=MIPRO_CANDIDATES,
        max_bootstrapped_demos=MAX_BOOTSTRAPPED_DEMOS,
        max_labeled_demos=MAX_LABELLED_DEMOS,
        num_threads=1,
        max_errors=len(examples) * MIPRO_TRIALS,
    )
    half = max(1, len(examples) // 2)
    return optimizer.compile(
        module, trainset=examples[:half], valset=examples[half:] or examples, num_trials=MIPRO_TRIALS, minibatch=False
    )


def _run_gepa(module: SoniDU, examples: list[Any], metric: AnswerMetric) -> Any:
    module.understand.demos = examples[:MAX_LABELLED_DEMOS]
    optimizer = dspy.GEPA(
        metric=metric.score,
        max_metric_calls=len(examples) * GEPA_ROUNDS,
        # Instructions are longer than answers, for which the settings allow fewer tokens.
        reflection_lm=dspy.settings.lm.copy(max_tokens=2_000),
        num_threads=1,
    )
    rest = examples[MAX_LABELLED_DEMOS:] or examples
    half = max(1, len(rest) // 2)
    return optimizer.compile(module, trainset=rest[:half], valset=rest[half:] or rest)


OPTIMIZER_RUNS: dict[Optimizer, Callable[[SoniDU, list[Any], AnswerMetric], Any]] = {
    "nearest": _run_nearest,
    "labeled": _run_labeled,
    "bootstrap": _run_bootstrap,
    "mipro": _run_mipro,
    "gepa": _run_gepa,
}
