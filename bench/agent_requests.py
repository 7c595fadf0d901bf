"""Decisions of other agents' requests beside those of our own gates: 1,000 open of each, 100 decided at once.

    python -m bench.agent_requests [--open 1000] [--at-once 100] [--rounds 3]

Runs in one process with the product's settings, on a new database in a folder of its own. Each decision is
`POST /api/v1/sessions/gN/submit`, timed from sending to answer; the rounds alternate, so that both meet the same
machine. The turn after a decision of our own gates is not part of the figure, and neither is the delivery of an
agent's answer.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from statistics import median, quantiles
from threading import Barrier
from typing import Any

import django

FOLDER = tempfile.TemporaryDirectory(prefix="soni-bench-", ignore_cleanup_errors=True)
os.environ.update(DJANGO_SETTINGS_MODULE="soni_admin.settings", SONI_DATA=FOLDER.name)
django.setup()

from django.contrib.auth.models import Permission, User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402
from django.test import Client  # noqa: E402

from dialogue.library.demo.seed import seed_demo  # noqa: E402
from dialogue.models import HITLSession  # noqa: E402
from dialogue.turns.accept import Incoming, accept, open_conversation  # noqa: E402
from dialogue.turns.process.database import close_connections, in_thread  # noqa: E402
from dialogue.turns.worker import drain  # noqa: E402

LINES = ("send 6000 to Lindqvist Marine, DE89370400440532013000", "yes")
ASK = {"question": "Refund the order?", "actions": ["approve", "reject"]}


async def open_own(count: int) -> list[int]:
    """Open gates of the bank, each in a conversation of its own; their numbers."""
    for _number in range(count):
        row, _token = await in_thread(open_conversation)("bank", vouched=True)
        for position, line in enumerate(LINES):
            incoming = Incoming("message", f"m{position}", {"text": line}, text=line)
            await in_thread(accept)(row.pk, incoming)
            await drain(row.pk)
    rows = HITLSession.objects.filter(audience="staff", state="open", flow="transfer_money")
    return await in_thread(lambda: list(rows.order_by("pk").values_list("pk", flat=True)))()


def open_foreign(asker: User, count: int) -> list[int]:
    """Send requests as an agent does, each of a thread of its own; the numbers of their gates."""
    client, numbers = client_of(asker), []
    for number in range(count):
        source = {"name": "bench", "thread": f"t{number}"}
        body = {"id": f"r{number}", "dialect": "plain", "ask": ASK, "source": source, "group": "payments"}
        answer = client.post(
            "/api/v1/requests", {**body, "timeout": "1h", "on_timeout": "reject"}, content_type="application/json"
        )
        assert answer.status_code == 201, answer.content
        numbers += [int(row["session"].removeprefix("g")) for row in answer.json()["sessions"]]
    return numbers


def client_of(user: User) -> Client:
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    return client


def decide_at_once(clients: list[Client], numbers: list[int]) -> list[float]:
    """Decide these gates at the same moment; the milliseconds of each."""
    barrier = Barrier(len(numbers))

    def decide(client: Client, number: int) -> float:
        barrier.wait()
        began = time.perf_counter()
        answer = client.post(f"/api/v1/sessions/g{number}/submit", {"action": "approve"}, "application/json")
        took = (time.perf_counter() - began) * 1000
        assert answer.status_code == 201, answer.content
        connections.close_all()
        return took

    with ThreadPoolExecutor(len(numbers)) as pool:
        return list(pool.map(decide, clients, numbers))


def figures(times: Iterable[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "p50": round(median(ordered), 1),
        "p95": round(quantiles(ordered, n=20)[-1], 1),
        "max": round(ordered[-1], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--open", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    seed_demo()
    olga = User.objects.get(username="olga")
    asker = User.objects.create_user("bench-agent")
    asker.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    own, foreign = asyncio.run(open_own(options.open)), open_foreign(asker, options.open)
    close_connections()
    clients = [client_of(olga) for _number in range(options.at_once)]
    times: dict[str, list[float]] = {"own gates": [], "agents' requests": []}
    for round_number in range(options.rounds):
        chosen = slice(round_number * options.at_once, (round_number + 1) * options.at_once)
        for name, numbers in (("own gates", own), ("agents' requests", foreign)):
            times[name] += decide_at_once(clients, numbers[chosen])
    found: dict[str, Any] = {name: figures(taken) for name, taken in times.items()}
    for name, row in found.items():
        print(f"{name:18} p50 {row['p50']:8.1f} ms   p95 {row['p95']:8.1f} ms   max {row['max']:8.1f} ms")
    print(json.dumps({"open": [len(own), len(foreign)], **found}))


if __name__ == "__main__":
    main()
