"""What came of a run: per turn what was seen and where it differs from what was expected."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Difference:
    """One expectation that was not met, in words."""

    what: str
    expected: str
    got: str


@dataclass(frozen=True)
class ObservedMessage:
    """One message of the assistant, as it was said."""

    key: str
    text: str
    buttons: tuple[dict[str, str], ...] = ()
    parts: tuple[dict[str, Any], ...] = ()

    @property
    def full_text(self) -> str:
        """All that a person reads of it: the text, then the buttons' labels."""
        return "\n".join((self.text, *(button["label"] for button in self.buttons)))


StepPassage = tuple[str, str, str]
"""A flow, a step of it that was passed, and where that led."""


@dataclass(frozen=True)
class Reach:
    """What a conversation came to: steps, where each led, and the commands that were understood."""

    steps: frozenset[tuple[str, str]] = frozenset()
    arms: frozenset[StepPassage] = frozenset()
    commands: frozenset[str] = frozenset()

    def to_json(self) -> dict[str, Any]:
        """As JSON takes it: every part a sorted list."""
        return {name: sorted(values) for name, values in vars(self).items()}


@dataclass(frozen=True)
class Observation:
    """What a turn showed. `repeated` are the messages of an answer that was only given again, `incidents` the errors of
    turns that failed, `path` the steps that were passed, in order, `simulated` the actions without Python code whose
    results were made up."""

    messages: tuple[ObservedMessage, ...] = ()
    stack: tuple[str, ...] = ()
    slots: dict[str, Any] = field(default_factory=dict)
    llm_calls: int = 0
    commands: tuple[Any, ...] = ()
    repeated: tuple[ObservedMessage, ...] = ()
    incidents: tuple[str, ...] = ()
    path: tuple[StepPassage, ...] = ()
    simulated: tuple[str, ...] = ()


@dataclass(frozen=True)
class TurnResult:
    """One turn of a scenario; `number` counts from 1. `expected_status` is the one that an operator's turn names."""

    number: int
    title: str
    differences: tuple[Difference, ...]
    seen: Observation = Observation()
    expected_status: int | None = None

    @property
    def has_passed(self) -> bool:
        return not self.differences


@dataclass(frozen=True)
class ScenarioResult:
    """One scenario. `differences` are those of the whole, such as its `finally`; a turn that was not reached fails."""

    file: str
    name: str
    turns: tuple[TurnResult, ...]
    differences: tuple[Difference, ...] = ()
    seconds: float = 0.0
    reach: Reach = Reach()

    @property
    def has_passed(self) -> bool:
        return not self.differences and all(turn.has_passed for turn in self.turns)


@dataclass(frozen=True)
class Summary:
    """How many scenarios, and how many turns, went as expected."""

    scenarios: int
    passed: int
    turns: int
    as_expected: int

    @classmethod
    def of(cls, results: Sequence[ScenarioResult]) -> "Summary":
        turns = [turn for result in results for turn in result.turns]
        passed = sum(result.has_passed for result in results)
        return cls(len(results), passed, len(turns), sum(turn.has_passed for turn in turns))

    def __str__(self) -> str:
        return f"{self.passed} of {self.scenarios} scenarios, {self.as_expected} of {self.turns} turns as expected"


def result_to_json(result: ScenarioResult) -> dict[str, Any]:
    """A result as JSON takes it."""
    return {**asdict(replace(result, reach=Reach())), "reach": result.reach.to_json(), "passed": result.has_passed}
