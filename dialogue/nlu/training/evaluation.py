"""Evaluate an NLU: exact turns, precision and recall of commands, slot values, costs, and the worst turns."""

import math
import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from time import perf_counter

from pydantic import BaseModel, ConfigDict, JsonValue

from dialogue.engine.ports.commands import StartFlow, to_plain
from dialogue.engine.understanding import NLU, Understanding, Usage
from dialogue.nlu.training.command_equivalence import SET_SLOT, CommandMeaning, Verdict, judge_commands
from dialogue.nlu.training.labelled_examples import LabelledExample, examples_digest

MAX_WORST_TURNS = 50
RESAMPLES = 1_000
NORMAL_QUANTILE = 1.959964
"""Of 97.5 %."""
# Fixed, so that a report shows the same interval each time.
SEED = 0
NO_FLOW = "–"
"""Stands in the confusion table for the missing flow, where only one of expected and started exists."""

Progress = Callable[[int, int], None]
"""Called with the number of examples that are done, and of all examples."""


class FrozenModel(BaseModel):
    """Part of a stored report: fields must keep their names."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CommandCount(FrozenModel):
    """Right, surplus and missed commands of one kind."""

    right: int = 0
    surplus: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return _ratio(self.right, self.right + self.surplus)

    @property
    def recall(self) -> float:
        return _ratio(self.right, self.right + self.missed)

    @property
    def f1(self) -> float:
        return _ratio(2 * self.right, 2 * self.right + self.surplus + self.missed)


class FlowConfusion(FrozenModel):
    """How often one flow was expected and another one started."""

    wanted: str
    got: str
    times: int


class MissedTurn(FrozenModel):
    """One turn that was not understood exactly. Commands are in the form of scenario files; `wrong` counts them."""

    message: str
    source: str
    expected: list[JsonValue]
    got: list[JsonValue]
    part: str
    confidence: float
    wrong: int


class EvaluationReport(FrozenModel):
    """Scores over one set of labelled examples, whose hash is `data`.

    `right` says for each turn whether it was exact. `median` and `late` (the 95th percentile) are milliseconds a turn;
    `parts` counts the turns by the component that decided.
    """

    data: str
    turns: int
    right: list[bool]
    commands: dict[str, CommandCount]
    calls: int
    prompt_tokens: int
    completion_tokens: int
    median: float
    late: float
    confusion: list[FlowConfusion]
    worst: list[MissedTurn]
    parts: dict[str, int]

    @property
    def exact(self) -> float:
        """The share of turns that were understood exactly."""
        return _ratio(sum(self.right), self.turns)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `exact`, after Wilson (1927): wide for few turns, also where all of them are right."""
        return wilson_interval(sum(self.right), len(self.right))

    @property
    def slots(self) -> float:
        """Recall of slot values: the share of the expected ones that was set rightly."""
        return self.commands.get(SET_SLOT, CommandCount()).recall

    @property
    def total(self) -> CommandCount:
        """All commands together."""
        kinds = self.commands.values()
        return CommandCount(
            right=sum(count.right for count in kinds),
            surplus=sum(count.surplus for count in kinds),
            missed=sum(count.missed for count in kinds),
        )

    @property
    def calls_per_turn(self) -> float:
        return _ratio(self.calls, self.turns)

    def categories(self) -> dict[str, float]:
        """Scores by name that a promotion must not lower: exact turns, and the F1 of each kind of command."""
        return {"exact turns": self.exact, **{kind: count.f1 for kind, count in sorted(self.commands.items())}}


@dataclass
class EvaluationTally:
    """Collects the results of an evaluation turn by turn."""

    examples: list[LabelledExample] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    understandings: list[Understanding] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    async def ask(self, nlu: NLU, example: LabelledExample) -> None:
        """Ask the NLU for one example, and add its answer."""
        started = perf_counter()
        understanding = await nlu.understand(example.message, example.context)
        self.add(example, understanding, (perf_counter() - started) * 1_000)

    def add(self, example: LabelledExample, understanding: Understanding, milliseconds: float) -> None:
        self.examples.append(example)
        self.verdicts.append(judge_commands(example, understanding.commands))
        self.understandings.append(understanding)
        self.milliseconds.append(milliseconds)

    def report(self) -> EvaluationReport:
        usages = [understanding.usage for understanding in self.understandings]
        return EvaluationReport(
            data=examples_digest(self.examples),
            turns=len(self.examples),
            right=[verdict.exact for verdict in self.verdicts],
            commands=_count_by_kind(self.verdicts),
            **_total_usage(usages),
            median=round(statistics.median(self.milliseconds), 3) if self.milliseconds else 0.0,
            late=round(_percentile_95(self.milliseconds), 3),
            confusion=list(_flow_confusion(self.examples, self.understandings)),
            worst=self._worst_turns(),
            parts=dict(
                Counter(understanding.path[-1].part for understanding in self.understandings if understanding.path)
            ),
        )

    def _worst_turns(self) -> list[MissedTurn]:
        rows = zip(self.examples, self.understandings, self.verdicts, strict=True)
        missed = [
            MissedTurn(
                message=example.message,
                source=example.source,
                expected=[to_plain(command) for command in example.first_commands],
                got=[to_plain(command) for command in got.commands],
                part=got.path[-1].part if got.path else "",
                confidence=got.confidence,
                wrong=len(verdict.missed) + len(verdict.surplus),
            )
            for example, got, verdict in rows
            if not verdict.exact
        ]
        return sorted(missed, key=lambda miss: (-miss.wrong, -miss.confidence))[:MAX_WORST_TURNS]


async def evaluate(
    nlu: NLU, examples: Sequence[LabelledExample], progress: Progress = lambda done, of: None
) -> EvaluationReport:
    """Evaluate the examples one after the other."""
    tally = EvaluationTally()
    for done, example in enumerate(examples, 1):
        await tally.ask(nlu, example)
        progress(done, len(examples))
    return tally.report()


def worse_categories(before: EvaluationReport, after: EvaluationReport) -> list[str]:
    """The categories in which `after` is worse than `before`, both on the same examples."""
    new = after.categories()
    return [name for name, old in before.categories().items() if new.get(name, 0.0) < old]


def accuracy_gain(before: EvaluationReport, after: EvaluationReport) -> tuple[float, tuple[float, float]]:
    """The gain in exact turns between two reports on the same examples, with its paired 95 % bootstrap interval."""
    # Paired by turn: the interval of the difference is narrower than that of two independent samples.
    differences = [float(new) - float(old) for old, new in zip(before.right, after.right, strict=True)]
    return after.exact - before.exact, bootstrap_interval(differences)


def wilson_interval(right: int, total: int) -> tuple[float, float]:
    """The 95 % score interval of a share (Wilson, "Probable inference", JASA 22, 1927); (0, 1) without any case."""
    if not total:
        return 0.0, 1.0
    share, spread = right / total, NORMAL_QUANTILE**2 / total
    centre = (share + spread / 2) / (1 + spread)
    half = math.sqrt(share * (1 - share) * spread + spread**2 / 4) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def bootstrap_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the mean, from 1,000 resamples with a fixed seed."""
    return _cached_interval(tuple(values))


@lru_cache(maxsize=64)
def _cached_interval(values: tuple[float, ...]) -> tuple[float, float]:
    if not values:
        return 0.0, 0.0
    generator = random.Random(SEED)
    means = sorted(statistics.fmean(generator.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]


def _count_by_kind(verdicts: Iterable[Verdict]) -> dict[str, CommandCount]:
    right, surplus, missed = Counter[str](), Counter[str](), Counter[str]()
    for verdict in verdicts:
        right.update(_meaning_kinds(verdict.right))
        surplus.update(_meaning_kinds(verdict.surplus))
        missed.update(_meaning_kinds(verdict.missed))
    kinds = sorted({*right, *surplus, *missed})
    return {kind: CommandCount(right=right[kind], surplus=surplus[kind], missed=missed[kind]) for kind in kinds}


def _meaning_kinds(meanings: Iterable[CommandMeaning]) -> list[str]:
    return [meaning.kind for meaning in meanings]


def _total_usage(usages: Sequence[Usage]) -> dict[str, int]:
    names = ("calls", "prompt_tokens", "completion_tokens")
    return {name: sum(getattr(usage, name) for usage in usages) for name in names}


def _percentile_95(milliseconds: Sequence[float]) -> float:
    """The 95th percentile."""
    return sorted(milliseconds)[int(0.95 * (len(milliseconds) - 1))] if milliseconds else 0.0


def _flow_confusion(
    examples: Sequence[LabelledExample], understandings: Sequence[Understanding]
) -> Iterator[FlowConfusion]:
    pairs = Counter[tuple[str, str]]()
    for example, understanding in zip(examples, understandings, strict=True):
        pairs.update(_flow_pairs(_started_flows(example.first_commands), _started_flows(understanding.commands)))
    for (wanted_flow, got_flow), times in sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0])):
        yield FlowConfusion(wanted=wanted_flow, got=got_flow, times=times)


def _flow_pairs(expected: list[str], got: list[str]) -> Iterator[tuple[str, str]]:
    """Pair each expected flow with the one that was started instead of it."""
    yield from ((flow, flow) for flow in expected if flow in got)
    missed = [flow for flow in expected if flow not in got]
    yield from zip_longest(missed, [flow for flow in got if flow not in expected], fillvalue=NO_FLOW)


def _started_flows(commands: Iterable[object]) -> list[str]:
    return [command.flow for command in commands if isinstance(command, StartFlow)]


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
