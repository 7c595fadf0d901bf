"""What every recorded version left waiting goes on under this code, as it would have gone on there."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from difflib import unified_diff
from typing import Any

import pytest

from tests.upgrade.changes import CHANGES
from tests.upgrade.corpus import Recording, Waiting, read_facts, recordings
from tests.upgrade.house import ROOT, House

pytestmark = pytest.mark.journey

RECORDINGS = [pytest.param(recording, id=recording.release) for recording in recordings()]
WITH_FACTS = [param for param, recording in zip(RECORDINGS, recordings(), strict=True) if recording.facts]
WAITING = [
    pytest.param(recording, waiting, id=f"{recording.release}: {waiting.what}")
    for recording in recordings()
    for waiting in recording.waiting
]
Houses = dict[str, House]


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Houses:
    """A house on each recorded database, brought up to date; nothing is served yet."""
    houses = {}
    for recording in recordings():
        house = houses[recording.release] = House(tmp_path_factory.mktemp(recording.release))
        recording.restore(house.data / "soni.sqlite3")
        house.manage("migrate", "-v0")
        if not recording.facts:
            house.shell(ROOT)
    return houses


@pytest.fixture(scope="module")
def served(migrated: Houses) -> Iterator[Houses]:
    """The same, with a server each: its start goes on with what waits, so tests of `migrated` alone come first."""
    for house in migrated.values():
        house.start()
    yield migrated
    for house in migrated.values():
        house.kill()


@pytest.mark.parametrize("recording", RECORDINGS)
def test_the_audit_chain_of_an_earlier_version_is_whole_after_the_migration(
    migrated: Houses, recording: Recording
) -> None:
    migrated[recording.release].manage("verify_audit")


@pytest.mark.parametrize("recording", WITH_FACTS)
def test_what_lies_beside_the_conversations_is_as_it_was(migrated: Houses, recording: Recording) -> None:
    now = read_facts(migrated[recording.release])

    assert {name: rows for name, rows in recording.facts.items() if name != "rights"} == {
        name: rows for name, rows in now.items() if name != "rights"
    }


@pytest.mark.parametrize("recording", WITH_FACTS)
def test_every_role_keeps_its_rights(migrated: Houses, recording: Recording) -> None:
    now = read_facts(migrated[recording.release])

    assert [right for right in recording.facts["rights"] if right not in now["rights"]] == []


@pytest.mark.parametrize(("recording", "waiting"), WAITING)
def test_a_conversation_of_an_earlier_version_goes_on(served: Houses, recording: Recording, waiting: Waiting) -> None:
    expected = recording.expected(waiting)

    outcome = waiting.go_on(served[recording.release], lines=len(expected.keys))

    differing = _differing(asdict(expected), asdict(outcome))
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("recording", WITH_FACTS)
def test_a_signed_in_author_finds_the_draft_and_the_proposed_example(served: Houses, recording: Recording) -> None:
    session = next(waiting.session for waiting in recording.waiting if waiting.session)
    house = served[recording.release]

    assert "where can we dance" in house.get_page("/flows/canteen/book_hall/", session)
    assert "where can we eat" in house.get_page("/understanding/canteen/", session)


@pytest.mark.parametrize("recording", RECORDINGS)
def test_audit_and_invariants_hold_when_all_have_gone_on(served: Houses, recording: Recording) -> None:
    served[recording.release].manage("verify_audit")
    served[recording.release].manage("verify_invariants")


def test_every_change_on_purpose_is_one_of_a_recorded_conversation() -> None:
    known = {(recording.release, waiting.what) for recording in recordings() for waiting in recording.waiting}

    assert [change for change in CHANGES if change not in known] == []


def _differing(expected: dict[str, Any], outcome: dict[str, Any]) -> list[str]:
    """The lines that differ, "-" for expected and "+" for what came, of all that was recorded."""
    recorded = [name for name, value in expected.items() if value is not None]
    texts = [json.dumps({name: plain[name] for name in recorded}, indent=1) for plain in (expected, outcome)]
    return list(unified_diff(texts[0].splitlines(), texts[1].splitlines(), "expected", "came", lineterm=""))
