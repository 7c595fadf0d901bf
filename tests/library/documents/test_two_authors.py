"""A whole assistant and one of its flows are saved in the same moment: one after the other, whoever is first."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from dialogue.library.documents.versions import Edit, StaleVersion, documents_of, save_flow, store_documents
from dialogue.models import Assistant, FlowVersion
from tests.support.releases import demo

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

BANK = demo("bank")
TEXT = BANK["check_balance.yaml"]
ROUNDS = 3


def test_neither_fails_and_each_saved_text_has_a_number_of_its_own():
    bank = store_documents(BANK)
    together = Barrier(2)

    def saving(work: Callable[[int], object]) -> list[bool]:
        try:
            return [_done(work, number, together) for number in range(ROUNDS)]
        finally:
            connections.close_all()

    whole = lambda number: store_documents({**BANK, "check_balance.yaml": f"{TEXT}# whole {number}\n"})  # noqa: E731
    one = lambda number: save_flow(bank, Edit("check_balance", f"{TEXT}# one {number}\n", _newest(bank)), None)  # noqa: E731
    with ThreadPoolExecutor(2) as pool:
        stored, saved = pool.map(saving, (whole, one))

    numbers = list(FlowVersion.objects.filter(flow__name="check_balance").values_list("number", flat=True))
    assert all(stored)
    assert numbers == list(range(1, 2 + ROUNDS + sum(saved)))
    assert documents_of(bank)["check_balance.yaml"] in FlowVersion.objects.values_list("text", flat=True)


def _newest(bank: Assistant) -> int:
    return FlowVersion.objects.filter(flow__assistant=bank, flow__name="check_balance").count()


def _done(work: Callable[[int], object], number: int, together: Barrier) -> bool:
    """Whether it was saved; the only other answer is that somebody was faster."""
    together.wait(timeout=30)
    try:
        work(number)
    except StaleVersion:
        return False
    return True
