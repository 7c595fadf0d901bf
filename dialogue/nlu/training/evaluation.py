"""How well messages are understood: right turns, commands and values, what it costs, and where it goes wrong."""

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
SEED = 0
NO_FLOW = "–"
"""Stands in the confusion table where a flow was wanted and none was started, or the other way about."""

Progress = Callable[[int, int], None]


class FrozenModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CommandCount(FrozenModel):
    """Right, surplus and missed commands of one kind."""

    right: int = 0
    surplus: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return _share(self.right, self.right + self.surplus)

    @property
    def recall(self) -> float:
        return _share(self.right, self.right + self.missed)

    @property
    def f1(self) -> float:
        return _share(2 * self.right, 2 * self.right + self.surplus + self.missed)


class FlowConfusion(FrozenModel):
    """How often one flow was wanted and another one started."""

    wanted: str
    got: str
    times: int


class MissedTurn(FrozenModel):
    """One turn that was not understood as it should have been; commands in the scenario form."""

    message: str
    source: str
    expected: list[JsonValue]
    got: list[JsonValue]
    part: str
    confidence: float
    wrong: int


class EvaluationReport(FrozenModel):
    """Figures over the turns of one set of data. `right` says turn by turn whether it was; times in milliseconds."""

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
        return _share(sum(self.right), self.turns)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `exact`, by drawing the turns again."""
        return bootstrap_interval([float(each) for each in self.right])

    @property
    def slots(self) -> float:
        """The share of values that were found and right."""
        return self.commands.get(SET_SLOT, CommandCount()).recall

    @property
    def total(self) -> CommandCount:
        """All commands together."""
        kinds = self.commands.values()
        return CommandCount(
            right=sum(each.right for each in kinds),
            surplus=sum(each.surplus for each in kinds),
            missed=sum(each.missed for each in kinds),
        )

    @property
    def calls_per_turn(self) -> float:
        return _share(self.calls, self.turns)

    def categories(self) -> dict[str, float]:
        """What a promotion may not worsen: exact turns, and the F1 of every kind of command."""
        return {"exact turns": self.exact, **{kind: count.f1 for kind, count in sorted(self.commands.items())}}


@dataclass
class EvaluationTally:
    """What is counted while turns go by."""

    examples: list[LabelledExample] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    understandings: list[Understanding] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    async def ask(self, nlu: NLU, lesson: LabelledExample) -> None:
        """Have one message understood."""
        began = perf_counter()
        understanding = await nlu.understand(lesson.message, lesson.context)
        self.add(lesson, understanding, (perf_counter() - began) * 1_000)

    def add(self, lesson: LabelledExample, understanding: Understanding, milliseconds: float) -> None:
        self.examples.append(lesson)
        self.verdicts.append(judge_commands(lesson, understanding.commands))
        self.understandings.append(understanding)
        self.milliseconds.append(milliseconds)

    def report(self) -> EvaluationReport:
        usages = [each.usage for each in self.understandings]
        return EvaluationReport(
            data=examples_digest(self.examples),
            turns=len(self.examples),
            right=[verdict.exact for verdict in self.verdicts],
            commands=_counts(self.verdicts),
            **_costs(usages),
            median=round(statistics.median(self.milliseconds), 3) if self.milliseconds else 0.0,
            late=round(_late(self.milliseconds), 3),
            confusion=list(_confusion(self.examples, self.understandings)),
            worst=self._worst(),
            parts=dict(Counter(each.path[-1].part for each in self.understandings if each.path)),
        )

    def _worst(self) -> list[MissedTurn]:
        rows = zip(self.examples, self.understandings, self.verdicts, strict=True)
        missed = [_miss(lesson, got, verdict) for lesson, got, verdict in rows if not verdict.exact]
        return sorted(missed, key=lambda miss: (-miss.wrong, -miss.confidence))[:MAX_WORST_TURNS]


async def evaluate(
    nlu: NLU, lessons: Sequence[LabelledExample], progress: Progress = lambda done, of: None
) -> EvaluationReport:
    """Have every message understood, one after the other."""
    tally = EvaluationTally()
    for done, lesson in enumerate(lessons, 1):
        await tally.ask(nlu, lesson)
        progress(done, len(lessons))
    return tally.report()


def worse_categories(before: EvaluationReport, after: EvaluationReport) -> list[str]:
    """The categories in which `after` is worse than `before` on the same data."""
    new = after.categories()
    return [name for name, old in before.categories().items() if new.get(name, 0.0) < old]


def accuracy_gain(before: EvaluationReport, after: EvaluationReport) -> tuple[float, tuple[float, float]]:
    """How much more turns are right, with the 95 % interval of the difference turn by turn."""
    differences = [float(new) - float(old) for old, new in zip(before.right, after.right, strict=True)]
    return after.exact - before.exact, bootstrap_interval(differences)


def bootstrap_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the mean, by 1,000 resamples with a fixed seed."""
    return _bootstrapped(tuple(values))


@lru_cache(maxsize=64)
def _bootstrapped(values: tuple[float, ...]) -> tuple[float, float]:
    if not values:
        return 0.0, 0.0
    draw = random.Random(SEED)
    means = sorted(statistics.fmean(draw.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]


def _counts(verdicts: Iterable[Verdict]) -> dict[str, CommandCount]:
    right, surplus, missed = Counter[str](), Counter[str](), Counter[str]()
    for verdict in verdicts:
        right.update(_kinds(verdict.right))
        surplus.update(_kinds(verdict.surplus))
        missed.update(_kinds(verdict.missed))
    kinds = sorted({*right, *surplus, *missed})
    return {kind: CommandCount(right=right[kind], surplus=surplus[kind], missed=missed[kind]) for kind in kinds}


def _kinds(meanings: Iterable[CommandMeaning]) -> list[str]:
    return [each.kind for each in meanings]


def _costs(usages: Sequence[Usage]) -> dict[str, int]:
    names = ("calls", "prompt_tokens", "completion_tokens")
    return {name: sum(getattr(each, name) for each in usages) for name in names}


def _late(milliseconds: Sequence[float]) -> float:
    """The 95th percentile."""
    return sorted(milliseconds)[int(0.95 * (len(milliseconds) - 1))] if milliseconds else 0.0


def _confusion(lessons: Sequence[LabelledExample], understood: Sequence[Understanding]) -> Iterator[FlowConfusion]:
    pairs = Counter[tuple[str, str]]()
    for lesson, understanding in zip(lessons, understood, strict=True):
        pairs.update(_pairs(_flows(lesson.first_commands), _flows(understanding.commands)))
    for (wanted_flow, got_flow), times in sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0])):
        yield FlowConfusion(wanted=wanted_flow, got=got_flow, times=times)


def _pairs(wanted: list[str], got: list[str]) -> Iterator[tuple[str, str]]:
    """Each wanted flow with the one that was started in its place."""
    yield from ((flow, flow) for flow in wanted if flow in got)
    missed = [flow for flow in wanted if flow not in got]
    yield from zip_longest(missed, [flow for flow in got if flow not in wanted], fillvalue=NO_FLOW)


def _flows(commands: Iterable[object]) -> list[str]:
    return [command.flow for command in commands if isinstance(command, StartFlow)]


def _miss(lesson: LabelledExample, understanding: Understanding, verdict: Verdict) -> MissedTurn:
    return MissedTurn(
        message=lesson.message,
        source=lesson.source,
        expected=[to_plain(each) for each in lesson.first_commands],
        got=[to_plain(each) for each in understanding.commands],
        part=understanding.path[-1].part if understanding.path else "",
        confidence=understanding.confidence,
        wrong=len(verdict.missed) + len(verdict.surplus),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
