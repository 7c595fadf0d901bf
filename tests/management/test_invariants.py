"""Every invariant is one count that both databases can answer."""

import pytest

from dialogue.audit.invariants import INVARIANTS, count_violations

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_an_empty_database_breaks_no_promise():
    found = count_violations()

    assert [(invariant.sentence, count) for invariant, count in found if count] == []
    assert {invariant.number for invariant in INVARIANTS} == set(range(1, 12))
