"""What the scenarios page shows: each scenario's result, its first difference, and the coverage."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from dialogue.engine.language.compiler import Assistant, Collect, Confirm, Flow, Handoff, Human, Say, load_assistant
from dialogue.engine.ports.commands import COMMANDS
from dialogue.engine.source.problems import FlowProblems, Problem
from dialogue.library.releases.test_conversations import draft_documents
from dialogue.models import Assistant as Home
from dialogue.models import Release, Scenario
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.live.flow_words import step_words
from dialogue.web.flows.graph import Graph, graph_of
from dialogue.web.scenarios.turn_words import (
    Difference,
    actor_words,
    difference_words,
    operation_words,
    outcome_words,
    refusal_words,
    subject_words,
)
from dialogue.web.shared.percentages import percent_of
from dialogue.web.shared.words.commands import kind_words

Passed = tuple[str, str, str]


@dataclass(frozen=True)
class PlayedTurn:
    """One turn: `state` is as_expected, differs, or not_compared (it comes after the first that differs).

    `simulated` are the actions without Python code whose results were made up; `refusal` says that an operator's turn
    was expected to be refused.
    """

    number: int
    text: str
    actor: str
    outcome: str
    state: str
    differences: list[Difference]
    simulated: list[str]
    refusal: str = ""


@dataclass(frozen=True)
class WrongExit:
    """The exit where a turn left the expected path: it led to `taken_target` in place of `expected_target`.

    `titles` are those of the step and of both targets.
    """

    flow: str
    step: str
    taken_target: str
    expected_target: str
    titles: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScenarioResult:
    """The result of one scenario, turn by turn."""

    scenario: Scenario
    turns: list[PlayedTurn]
    final_differences: list[Difference]
    wrong_exit: WrongExit | None


@dataclass(frozen=True)
class Coverage:
    """One flow with how many scenarios passed each of its steps and exits."""

    flow: str
    graph: Graph
    steps: dict[str, int]
    exits: dict[tuple[str, str], int]
    unreached_steps: list[str] = field(default_factory=list)
    unreached_titles: list[str] = field(default_factory=list)

    @property
    def reached_count(self) -> int:
        return len(self.graph.nodes) - len(self.unreached_steps)

    @property
    def percent(self) -> int:
        return percent_of(self.reached_count, len(self.graph.nodes)) if self.graph.nodes else 100

    def plain(self, wrong_exit: WrongExit | None) -> dict[str, Any]:
        """For the page's script: `Graph.plain` with `{runs, went, got, want}`; a `wrong_exit` of this flow is drawn."""
        drawn_exit = wrong_exit if wrong_exit and wrong_exit.flow == self.flow else None
        return {
            **self.graph.plain(),
            "runs": self.steps,
            "went": [[start, end] for start, end in self.exits],
            "got": [drawn_exit.step, drawn_exit.taken_target] if drawn_exit else [],
            "want": [drawn_exit.step, drawn_exit.expected_target] if drawn_exit else [],
        }


def definition_to_test(home: Home) -> tuple[Assistant | None, Sequence[Problem]]:
    """The draft's definition; while the draft is invalid, the active release's, with the draft's problems."""
    try:
        return load_assistant(draft_documents(home)), ()
    except FlowProblems as error:
        return _released_definition(home.active_release), error.problems


def _released_definition(release: Release | None) -> Assistant | None:
    """None without a release, and where the release does not compile here any more."""
    try:
        return assistant_of(release) if release else None
    except FlowProblems:
        return None


def scenario_result(scenario: Scenario, assistant: Assistant | None) -> ScenarioResult | None:
    """The result of the last run; None when there was none since the scenario was saved."""
    result: dict[str, Any] = scenario.result
    if scenario.passed is None or not result:
        return None
    turns = list(_played_turns(result["turns"], assistant))
    wrong_exit = _wrong_exit(result["turns"], assistant) if assistant else None
    return ScenarioResult(scenario, turns, _differences_of(result["differences"], assistant), wrong_exit)


def first_difference(scenario: Scenario, assistant: Assistant | None) -> str:
    """The first difference in the reader's language."""
    number, _colon, what = scenario.fact.partition(":")
    if not what:
        return ""
    facts = {"turn": number, "what": subject_words(what, assistant)}
    return _("Turn %(turn)s differs: %(what)s") % facts if number != "0" else _("In the end: %(what)s") % facts


def coverage_of(scenarios: Iterable[dict[str, Any]], assistant: Assistant, flow: Flow) -> Coverage:
    """Count the scenarios through each step and exit of the flow; `scenarios` holds what each of them reached."""
    steps: Counter[str] = Counter()
    exits: Counter[tuple[str, str]] = Counter()
    for reach in scenarios:
        steps.update(step for name, step in reach.get("steps", ()) if name == flow.flow)
        exits.update((step, to) for name, step, to in reach.get("arms", ()) if name == flow.flow)
    graph = graph_of(flow, {}, {})
    unreached = [node.id for node in graph.nodes if not steps[node.id]]
    titles = [step_words(flow.flow, step, assistant) for step in unreached]
    return Coverage(flow.flow, graph, dict(steps), dict(exits), unreached, titles)


COMMANDS_OF_FEW_ASSISTANTS = frozenset({"narrow", "add_values", "remove_values"})
"""Commands for choices from data and for lists: most assistants have neither."""


def untested_commands(scenarios: Iterable[dict[str, Any]]) -> list[str]:
    """The commands that occur in no scenario, in words."""
    tested = {name for reach in scenarios for name in reach.get("commands", ())}
    return [kind_words(name) for name in COMMANDS if name not in tested and name not in COMMANDS_OF_FEW_ASSISTANTS]


def _played_turns(turns: list[dict[str, Any]], assistant: Assistant | None) -> Iterator[PlayedTurn]:
    differed = False
    for turn in turns:
        kind, _colon, text = turn["title"].partition(": ")
        differences = _differences_of(turn["differences"], assistant)
        state = "not_compared" if differed else "differs" if differences else "as_expected"
        yield PlayedTurn(
            turn["number"],
            operation_words(text) if kind == "operator" else text,
            actor_words(kind),
            outcome_words(turn["seen"], assistant),
            state,
            [] if differed else differences,
            turn["seen"].get("simulated", []),
            refusal_words(turn.get("expected_status")) if state == "as_expected" else "",
        )
        differed = differed or bool(differences)


def _differences_of(stored: list[dict[str, str]], assistant: Assistant | None) -> list[Difference]:
    return [difference_words(Difference(**difference), assistant) for difference in stored]


def _wrong_exit(turns: list[dict[str, Any]], assistant: Assistant) -> WrongExit | None:
    """In the first turn that differs, the last step from which another exit leads to the expected step."""
    differing = next((turn for turn in turns if turn["differences"]), None)
    expected_stack = (
        next((difference["expected"] for difference in differing["differences"] if difference["what"] == "stack"), "")
        if differing
        else ""
    )
    if differing is None or not expected_stack:
        return None
    flow = assistant.flows.get(expected_stack.split(", ")[-1].partition("?")[0].partition("!")[0])
    if flow is None:
        return None
    targets = set(_steps_awaiting(flow, expected_stack.split(", ")[-1]))
    passed_exits = [(step, to) for name, step, to in differing["seen"].get("path", ()) if name == flow.flow]
    exits = (_exit_towards(flow, step, to, targets) for step, to in reversed(passed_exits))
    found = next(filter(None, exits), None)
    if found is None:
        return None
    steps = (found.step, found.taken_target, found.expected_target)
    return replace(found, titles=tuple(step_words(flow.flow, step, assistant) for step in steps))


def _exit_towards(flow: Flow, step: str, taken: str, targets: set[str]) -> WrongExit | None:
    edges = [(edge.source, edge.target) for edge in graph_of(flow, {}, {}).edges]
    other_ends = [end for start, end in edges if start == step and end != taken]
    expected = next((end for end in other_ends if targets & _reachable_from(edges, end)), None)
    return WrongExit(flow.flow, step, taken, expected) if expected else None


def _reachable_from(edges: list[tuple[str, str]], start: str) -> set[str]:
    reached, ahead = {start}, [start]
    while ahead:
        step = ahead.pop()
        new = {end for begin, end in edges if begin == step} - reached
        reached |= new
        ahead += new
    return reached


def _steps_awaiting(flow: Flow, notation: str) -> Iterator[str]:
    """The steps at which a conversation may wait when a scenario writes its stack like this."""
    # A question for one field of a record, such as address.zip, is asked at the record's step.
    slot, reason = notation.partition("?")[2].partition(".")[0], notation.partition("!")[2]
    kinds = {"confirm": Confirm, "human": Human, "handoff": Handoff, "ack": Say}
    for step in flow.all_steps():
        asks_slot = isinstance(step, Collect) and step.slot == slot
        if asks_slot or (reason in kinds and isinstance(step, kinds[reason])):
            yield step.step
