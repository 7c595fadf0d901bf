"""The conformance kit: what its table names is there. The kit itself runs by `make conformance`."""

import re
from pathlib import Path

import pytest

from conformance import checks
from conformance.ecosystems import ECOSYSTEMS, Ecosystem
from conformance.environments import REQUIREMENTS
from conformance.program_process import PROGRAMS
from dialogue.turns.process.crash_points import AGENT_POINTS, POINTS


@pytest.mark.parametrize("ecosystem", ECOSYSTEMS, ids=lambda ecosystem: ecosystem.name)
def test_an_ecosystem_has_a_program_and_locked_requirements(ecosystem: Ecosystem):
    assert (PROGRAMS / ecosystem.script).exists()
    if ecosystem.framework:
        lock = (REQUIREMENTS / f"{ecosystem.framework}.txt").read_text()
        assert re.search(rf"^{ecosystem.package}(\[.*\])?==", lock, re.MULTILINE)


@pytest.mark.parametrize("ecosystem", ECOSYSTEMS, ids=lambda ecosystem: ecosystem.name)
def test_an_ecosystem_is_approved_and_refused(ecosystem: Ecosystem):
    ran = [case.runs_with is not None for case in ecosystem.cases]

    assert set(ran) == {True, False}


@pytest.mark.parametrize("lock", sorted(REQUIREMENTS.glob("*.txt")), ids=lambda lock: lock.stem)
def test_a_lock_has_hashes_and_names_no_address(lock: Path):
    lines = lock.read_text()

    assert "--hash=sha256:" in lines
    assert "://" not in lines


def test_the_desk_is_killed_at_every_point_of_agents_requests():
    killed = {*checks.POINTS, *checks.WEBHOOK_POINTS, *checks.DEADLINE_POINTS}

    assert AGENT_POINTS <= killed <= POINTS.keys()
