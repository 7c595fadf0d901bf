"""Two hundred clients at once over HTTP: everybody is answered or told when to come again, and nothing is lost."""

import subprocess
import sys
import time
from statistics import quantiles

from campaigns.support.busy_bank import busy_bank
from campaigns.support.campaign import Campaign, Tally
from tests.support.processes.crowd import Crowd, lost
from tests.support.processes.server import wait_for

CLIENTS = 200
REST_SECONDS = 120.0

PROBE = """
import sys, time, urllib.request
url, until = sys.argv[1], time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    began = time.monotonic()
    with urllib.request.urlopen(url, timeout=30) as answer:
        assert answer.status == 200
    print(time.monotonic() - began)
    time.sleep(0.1)
"""
"""Asks whether the server lives, from a process that has nothing else to do; prints the seconds that took."""


def _run(size: int, chance: int, tally: Tally) -> None:
    with busy_bank(NLU_EMBEDDED="off", SONI_LOG_LEVEL="ERROR") as bank:
        crowd = Crowd(bank.server.port, "ursula", lambda number: ("hello", "what is my balance?", "hello")[number])
        crowd.start(CLIENTS)
        probe = [sys.executable, "-c", PROBE, f"{bank.server.url}/health/live", str(size)]
        probed = subprocess.run(probe, capture_output=True, text=True, check=False)
        crowd.stop()
        if probed.returncode:
            tally.failures.append(f"/health/live gave no answer: {probed.stderr[-300:]}")
        began = time.monotonic()
        wait_for(lambda: not lost(bank.server, crowd.lines), within=REST_SECONDS)
        tally.time("until all was answered", time.monotonic() - began)
        tally.time("health, of a hundred the slowest", _slowest(list(map(float, probed.stdout.split()))))
        tally.tried += crowd.acknowledged
        tally.outcomes["acknowledged"] += crowd.acknowledged
        tally.outcomes["told to come again"] += crowd.answers.count(503) + crowd.answers.count(429)
        tally.failures += crowd.failures
        tally.failures += bank.broken_promises()
        bank.server.manage("verify_audit")


def _slowest(seconds: list[float]) -> float:
    return quantiles(seconds, n=100, method="inclusive")[-1] if len(seconds) > 1 else 0.0


CAMPAIGN = Campaign(
    name="clients",
    passes_when="no error, every acknowledged message is there and answered, and /health/live always answers",
    ci=5,
    full=120,
    outcomes=("acknowledged",),
    run=_run,
)
