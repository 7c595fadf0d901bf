"""How much of what is wrong the verifier finds, and that it leaves alone what is right."""

from pathlib import Path

import pytest

from dialogue.engine.language.compiler import check_documents
from tests.support.engine.sample_flows import ACTIONS, NAME, PING, REFUND, TRIP
from tests.support.engine.seeded_faults import HERE, documents_in, seeded_faults
from tests.support.engine.small_flows import documents

FAULTS = list(seeded_faults())
ROOT = Path(__file__).parents[4]
GOOD_FOLDERS = [
    HERE / "parcels",
    *sorted(ROOT.glob("dialogue/library/demo/assistants/*")),
    *sorted(ROOT.glob("tests/scenarios/assistants/*")),
    *sorted(ROOT.glob("tests/nlu/assistants/*")),
]
DESERVED = {"no_failure_branch"}
"""The author is told what a failure does, and may well mean it."""


def test_at_least_ninety_five_of_a_hundred_seeded_faults_are_found_where_they_are():
    missed = [fault for fault in FAULTS if not fault.is_told()]

    share = 1 - len(missed) / len(FAULTS)
    print(f"{len(FAULTS) - len(missed)} of {len(FAULTS)} seeded faults found, {share:.1%}")
    assert len(FAULTS) >= 48
    assert share >= 0.95, "\n".join(f"{each.kind}: {each.name}" for each in missed)


def test_every_finding_says_where_it_is_and_what_is_wrong():
    findings = [each for fault in FAULTS for each in fault.findings]

    assert all(each.text and each.path and each.line >= 1 and each.column >= 1 for each in findings)


@pytest.mark.parametrize("folder", GOOD_FOLDERS, ids=lambda folder: folder.name)
def test_a_good_assistant_gives_no_error_and_no_undeserved_warning(folder):
    found = check_documents(documents_in(folder))

    assert [str(each) for each in found if each.rule not in DESERVED] == []


def test_the_flows_that_the_tests_talk_to_are_good_too():
    head = f"version: 1\nassistant: agency\n{ACTIONS}"
    agency = {"assistant.yaml": head, "trip.yaml": TRIP, "ping.yaml": PING, "name.yaml": NAME, "refund.yaml": REFUND}

    assert [str(each) for each in check_documents(agency)] == []
    assert check_documents(documents()) == []
