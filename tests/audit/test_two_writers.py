"""Two people publish in the same moment: the console's chain takes one entry after the other."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections, transaction

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.models import AuditEntry
from dialogue.turns import clock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

WRITERS, EACH = 4, 3


def test_whoever_writes_at_once_writes_one_after_the_other_from_the_first_entry_on():
    together = Barrier(WRITERS)

    def write(writer: int) -> None:
        try:
            for number in range(EACH):
                together.wait(timeout=30)
                with transaction.atomic():
                    chain.record(CONSOLE, [Act("release_published", f"writer {writer}-{number}")], clock.now())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))

    assert list(AuditEntry.objects.values_list("number", flat=True)) == list(range(1, WRITERS * EACH + 1))
    assert list(chain.verify()) == []
