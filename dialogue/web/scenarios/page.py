"""What the scenarios page shows: each scenario with what it came to, its first difference as fact, and the coverage."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from dialogue.engine.language.compiler import Assistant, Collect, Confirm, Flow, Handoff, Human, Say, load_assistant
from dialogue.engine.ports.commands import COMMANDS
from dialogue.engine.source.problems import FlowProblems, Problem
from dialogue.library.releases.test_conversations import draft_documents
from dialogue.models import Assistant as Home
from dialogue.models import Release, Scenario
from dialogue.turns.compiled_releases import assistant_of
from dialogue.web.flows.graph import Graph, graph_of

Passed = tuple[str, str, str]


@dataclass(frozen=True)
class Difference:
    """One expectation that was not met."""

    what: str
    expected: str
    got: str


@dataclass(frozen=True)
class Played:
    """One turn: `state` is as_expected, differs, or not_compared (it comes after the first that differs)."""

    number: int
    said: str
    who: str
    came_to: str
    state: str
    differences: list[Difference]


@dataclass(frozen=True)
class Fork:
    """Where a turn went another way than expected: the arrow that was taken, and the one that leads to what was."""

    flow: str
    step: str
    got: str
    want: str


@dataclass(frozen=True)
class Case:
    """One scenario that was run, turn by turn."""

    scenario: Scenario
    turns: list[Played]
    in_the_end: list[Difference]
    fork: Fork | None


@dataclass(frozen=True)
class Coverage:
    """One flow with how many scenarios came through each of its steps and arrows."""

    flow: str
    graph: Graph
    steps: dict[str, int]
    arms: dict[tuple[str, str], int]
    never: list[str] = field(default_factory=list)

    @property
    def reached(self) -> int:
        return len(self.graph.nodes) - len(self.never)

    @property
    def percent(self) -> int:
        return round(100 * self.reached / len(self.graph.nodes)) if self.graph.nodes else 100

    def plain(self, fork: Fork | None) -> dict[str, Any]:
        """For the page's script; `fork` is drawn when it is in this flow."""
        own = fork if fork and fork.flow == self.flow else None
        return {
            **self.graph.plain(),
            "runs": self.steps,
            "went": [[start, end] for start, end in self.arms],
            "got": [own.step, own.got] if own else [],
            "want": [own.step, own.want] if own else [],
        }


def tried_definition(home: Home) -> tuple[Assistant | None, Sequence[Problem]]:
    """What is tried: the draft; while that makes no assistant, the active release, and why not."""
    try:
        return load_assistant(draft_documents(home)), ()
    except FlowProblems as why:
        return _released(home.active_release), why.problems


def _released(release: Release | None) -> Assistant | None:
    """None where nothing was published, and where what was published makes no assistant either."""
    try:
        return assistant_of(release) if release else None
    except FlowProblems:
        return None


def case_of(scenario: Scenario, assistant: Assistant | None) -> Case | None:
    """What the last run came to; None when there was none since the scenario was saved."""
    result: dict[str, Any] = scenario.result
    if scenario.passed is None or not result:
        return None
    turns = list(_turns(result["turns"]))
    fork = _fork(result["turns"], assistant) if assistant else None
    return Case(scenario, turns, _differences(result["differences"]), fork)


def fact_words(scenario: Scenario) -> str:
    """The first difference in the reader's language."""
    number, _colon, what = scenario.fact.partition(":")
    if not what:
        return ""
    told = {"turn": number, "what": what}
    return _("Turn %(turn)s differs: %(what)s") % told if number != "0" else _("In the end: %(what)s") % told


def coverage_of(scenarios: Iterable[dict[str, Any]], assistant: Assistant, flow: Flow) -> Coverage:
    """Through which steps and arrows of the flow the scenarios came; `scenarios` are what each reached."""
    steps: Counter[str] = Counter()
    arms: Counter[tuple[str, str]] = Counter()
    for reach in scenarios:
        steps.update(step for name, step in reach.get("steps", ()) if name == flow.flow)
        arms.update((step, to) for name, step, to in reach.get("arms", ()) if name == flow.flow)
    graph = graph_of(flow, {}, {})
    return Coverage(flow.flow, graph, dict(steps), dict(arms), [node.id for node in graph.nodes if not steps[node.id]])


def unheard_commands(scenarios: Iterable[dict[str, Any]]) -> list[str]:
    """The commands that no scenario gives."""
    heard = {name for reach in scenarios for name in reach.get("commands", ())}
    return [name for name in COMMANDS if name not in heard]


def _turns(turns: list[dict[str, Any]]) -> Iterator[Played]:
    differed = False
    for turn in turns:
        who, _colon, said = turn["title"].partition(": ")
        found = _differences(turn["differences"])
        state = "not_compared" if differed else "differs" if found else "as_expected"
        yield Played(turn["number"], said, _who(who), _came_to(turn["seen"]), state, [] if differed else found)
        differed = differed or bool(found)


def _who(kind: str) -> str:
    words = {
        "user": _("Customer"),
        "choose": _("Customer chooses"),
        "operator": _("Operator"),
        "clock": _("Clock"),
        "restart": _("The server starts anew"),
        "publish": _("Publish"),
        "repeat_last": _("The last message comes again"),
    }
    return words.get(kind, kind)


def _came_to(seen: dict[str, Any]) -> str:
    said = [line["key"] for line in seen["messages"]]
    stands = " ".join(seen["stack"])
    return " · ".join([*said, *([_("stands at %s") % stands] if stands else [])])


def _differences(found: list[dict[str, str]]) -> list[Difference]:
    return [Difference(each["what"], each["expected"], each["got"]) for each in found]


def _fork(turns: list[dict[str, Any]], assistant: Assistant) -> Fork | None:
    """The last choice of the first turn that differs from which another arrow leads to where it should stand."""
    differing = next((turn for turn in turns if turn["differences"]), None)
    wanted = (
        next((each["expected"] for each in differing["differences"] if each["what"] == "stack"), "")
        if differing
        else ""
    )
    if differing is None or not wanted:
        return None
    flow = assistant.flows.get(wanted.split(", ")[-1].partition("?")[0].partition("!")[0])
    if flow is None:
        return None
    targets = set(_awaiting(flow, wanted.split(", ")[-1]))
    passed = [(step, to) for name, step, to in differing["seen"].get("path", ()) if name == flow.flow]
    return next((fork for step, to in reversed(passed) if (fork := _other_way(flow, step, to, targets))), None)


def _other_way(flow: Flow, step: str, got: str, targets: set[str]) -> Fork | None:
    edges = [(edge.source, edge.target) for edge in graph_of(flow, {}, {}).edges]
    others = [end for start, end in edges if start == step and end != got]
    want = next((end for end in others if targets & _reachable(edges, end)), None)
    return Fork(flow.flow, step, got, want) if want else None


def _reachable(edges: list[tuple[str, str]], start: str) -> set[str]:
    found, ahead = {start}, [start]
    while ahead:
        here = ahead.pop()
        new = {end for begin, end in edges if begin == here} - found
        found |= new
        ahead += new
    return found


def _awaiting(flow: Flow, notation: str) -> Iterator[str]:
    """The steps that a conversation may stand at when its stack is written like this."""
    slot, mark = notation.partition("?")[2], notation.partition("!")[2]
    kinds = {"confirm": Confirm, "human": Human, "handoff": Handoff, "ack": Say}
    for step in flow.all_steps():
        asked = isinstance(step, Collect) and step.slot == slot
        if asked or (mark in kinds and isinstance(step, kinds[mark])):
            yield step.step
