"""A thousand gates ran out while nothing ran: they expire and are applied at the start, and pages answer meanwhile."""

import time
import urllib.request
from datetime import timedelta

from campaigns.support.busy_bank import BusyBank
from campaigns.support.campaign import Campaign, Tally
from campaigns.support.crowds import crowded_bank, unheard

APPLIED_WITHIN, PAGE_WITHIN = 120.0, 1.0
PAGES = ("/chat/bank/", "/health/ready", "/api/v1/sessions?state=any&limit=50")


EXPIRED = """
from dialogue.models import HITLSession
print(HITLSession.objects.filter(audience="staff", state="expired").count())
"""


def _run(size: int, _chance: int, tally: Tally) -> None:
    for on_postgres in (False, True):
        with crowded_bank(size, timedelta(minutes=-1), on_postgres=on_postgres) as bank:
            _start_late(bank, size, tally)


def _start_late(bank: BusyBank, size: int, tally: Tally) -> None:
    bank.server.start()
    began, left = time.monotonic(), size
    while left and time.monotonic() - began < APPLIED_WITHIN:
        _look_around(bank, tally)
        left = unheard(bank.server)
    tally.outcomes["applied"] += size - left
    tally.time("until all were applied", time.monotonic() - began)
    if left:
        tally.failures.append(f"{left} of {size} were not applied after {APPLIED_WITHIN:.0f} s")
    tally.failures += [*_not_expired(bank, size), *bank.broken_promises()]


def _look_around(bank: BusyBank, tally: Tally) -> None:
    for page in PAGES:
        request = urllib.request.Request(bank.server.url + page, headers={"Authorization": "Bearer sofia"})
        began = time.monotonic()
        urllib.request.urlopen(request, timeout=120).read()
        took = time.monotonic() - began
        tally.time("for a page", took)
        late = took >= PAGE_WITHIN
        tally.count("pages late" if late else "pages in time")
        if late:
            tally.failures.append(f"{page} took {took:.1f} s, at most {PAGE_WITHIN:.0f}")


def _not_expired(bank: BusyBank, size: int) -> list[str]:
    """Nothing was paid, and every gate says that its time ran out."""
    expired = int(bank.server.shell(EXPIRED).splitlines()[-1])
    paid = bank.money_sent()
    wrong = [f"{expired} of {size} expired"] if expired != size else []
    return wrong + ([f"{len(paid)} payments left the house"] if paid else [])


CAMPAIGN = Campaign(
    name="overdue",
    passes_when="all expired and applied in 120 s, once each, and pages stay under 1 s",
    ci=20,
    full=1_000,
    outcomes=("applied", "pages in time"),
    run=_run,
    promises=PAGE_WITHIN,
)
