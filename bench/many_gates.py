"""The pages of lists with as many open sessions as it is told: server time and queries of each, as one JSON object.

Runs in a process of its own on a new database with the product's settings.
"""

import argparse
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from uuid import UUID, uuid5

import django

django.setup()

from django.contrib.auth.models import Group, User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from dialogue.library.demo.seed import seed_demo  # noqa: E402
from dialogue.models import Assistant, Conversation, HITLSession, Release  # noqa: E402
from dialogue.turns import clock  # noqa: E402

BATCH = 2_000
ROUNDS = 15
HOUR = timedelta(hours=1)
NAMES = UUID("5b3c8c0e-6a3f-4a38-9f7f-0f4b5c1f7d11")
QUEUES = ("payments", "cards", "loans")

PAGES = {
    "/gates/": ("/gates/",),
    "/gates/, two pages on": ("/gates/", "/gates/?after={cursor}", "/gates/?after={cursor}"),
    "/gates/?view=mine": ("/gates/?view=mine",),
    "/gates/?view=unassigned": ("/gates/?view=unassigned",),
    "/gates/?view=soon": ("/gates/?view=soon",),
    "/gates/?view=snoozed": ("/gates/?view=snoozed",),
    "/gates/?view=done": ("/gates/?view=done",),
    "/inbox/": ("/inbox/",),
    "/conversations/": ("/conversations/",),
    "/api/v1/sessions": ("/api/v1/sessions",),
    "/api/v1/sessions?assignee=none": ("/api/v1/sessions?assignee=none&audience=staff",),
    "/gates/next/": ("/gates/next/",),
    **{f"/gates/?order={name}": (f"/gates/?order={name}",) for name in ("newest", "oldest", "priority")},
    **{f"/api/v1/sessions?order={name}": (f"/api/v1/sessions?order={name}",) for name in ("oldest", "priority")},
    "/api/v1/sessions?state=any": ("/api/v1/sessions?state=any",),
    "/gates/?group=payments": ("/gates/?group=payments",),
    "/gates/?flow=, of which there is none": ("/gates/?flow=none",),
    "/gates/?q=, which is nowhere": ("/gates/?q=nowhere",),
    "/api/v1/sessions?tag=": ("/api/v1/sessions?tag=none",),
    "/api/v1/conversations": ("/api/v1/conversations",),
    "/api/v1/conversations?order=oldest": ("/api/v1/conversations?order=oldest",),
    "/conversations/?q=, which is nowhere": ("/conversations/?q=nowhere",),
}
"""A name, and the addresses that are asked one after the other; the last one counts."""


def fill(count: int, others: int) -> None:
    """`count` open gates in Olga's queue that are not claimed, and `others` in queues that are not hers."""
    release = Release.objects.select_related("assistant").filter(assistant__name="bank").latest("number")
    groups = [Group.objects.get_or_create(name=name)[0] for name in QUEUES]
    numbers = iter(range(count + others))
    made = Maker(release, User.objects.get(username="olga"), clock.now(), Random(4))
    while batch := list(islice(numbers, BATCH)):
        chats = [made.chat(number) for number in batch]
        queues = [groups[0 if number < count else 1 + number % 2] for number in batch]
        Conversation.objects.bulk_create(chats)
        HITLSession.objects.bulk_create(map(made.gate, batch, chats, queues))


@dataclass(frozen=True)
class Maker:
    """Makes rows of the bank. The first few are what every queue has some of: claimed, put off, handed over."""

    release: Release
    olga: User
    at: datetime
    random: Random

    def chat(self, number: int) -> Conversation:
        began = self.at - timedelta(seconds=number)
        return Conversation(
            id=uuid5(NAMES, str(number)),
            assistant=self.release.assistant,
            release=self.release,
            user_ref=f"Customer {number}",
            state=Conversation.State.WAITING,
            active_at=began,
            created_at=began,
        )

    def gate(self, number: int, chat: Conversation, group: Group) -> HITLSession:
        deadline = self.at + timedelta(minutes=self.random.randrange(60, 60 * 24 * 30))
        return HITLSession(
            uid=uuid5(chat.pk, "gate"),
            conversation=chat,
            release=self.release,
            flow="transfer_money",
            frame="transfer_money-1",
            step="approval",
            visit=1,
            audience="staff",
            title="Approve transfer",
            shown=[_value("amount", f"{number}.25", f"€{number:,}.25"), _value("beneficiary", f"Payee {number} Ltd")],
            search_text=f"€{number:,}.25 {number}.25 payee {number} ltd",
            actions=[{"id": "approve", "label": "Approve", "style": "primary", "reason": False}],
            group=None if number % 10 == 9 else group,
            priority=self.random.choice((0, 0, 0, 1, 2)),
            opened_at=self.at,
            expires_at=deadline,
            urgent_at=deadline,
            on_timeout="reject",
            **self._fate(number),
        )

    def _fate(self, number: int) -> dict[str, Any]:
        if number < 10:
            return {"kind": "human", "state": "claimed", "assignee": self.olga, "claimed_until": self.at + HOUR}
        if number < 20 or number % 1000 == 0:
            return {"kind": "handoff", "waits_since": self.at}
        if number < 30 or number % 100 == 0:
            return {"kind": "human", "follow_up_at": self.at + HOUR}
        return {"kind": "human"}


def _value(name: str, value: str, text: str = "") -> dict[str, Any]:
    return {"name": name, "value": value, "shown": text or value, "source": "user", "turn": 1, "sensitive": False}


def measured(who: str) -> Iterator[tuple[str, dict[str, float]]]:
    """Each page's milliseconds, medians of some rounds, by the clock and of processors, and its number of queries."""
    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.get(username=who))
    for name, paths in PAGES.items():
        *before, last = paths
        cursor = ""
        for path in before:
            cursor = _next(client.get(path.format(cursor=cursor)).content.decode())
        yield name, _figures(client, last.format(cursor=cursor))


def _next(page: str) -> str:
    found = re.search(r"[?&;]after=([\w-]+)", page)
    return found[1] if found else ""


def _figures(client: Client, path: str) -> dict[str, float]:
    client.get(path)
    asked: list[str] = []

    def heard(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        asked.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(heard):
        answer = client.get(path)
    if answer.status_code not in (200, 302):
        raise RuntimeError(f"{path}: {answer.status_code}")
    took = [_timed(lambda: client.get(path)) for _ in range(ROUNDS)]
    wall, processor = (median(part) for part in zip(*took, strict=True))
    return {"ms": wall, "cpu": processor, "queries": len(asked)}


def _timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Milliseconds by the clock, and those that processors worked, here and in the database."""
    began, worked = time.perf_counter(), time.process_time() + _database_worked()
    work()
    took = time.process_time() + _database_worked() - worked
    return (time.perf_counter() - began) * 1000, took * 1000


def _database_worked() -> float:
    """Seconds that PostgreSQL's process of this connection has had a processor; SQLite works in ours."""
    if connection.vendor != "postgresql":
        return 0.0
    process = connection.connection.info.backend_pid
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sessions", type=int, default=100)
    options.add_argument("--others", type=int, default=0, help="further open sessions, in queues that are not Olga's")
    options.add_argument("--who", default="olga")
    chosen = options.parse_args()
    call_command("migrate", verbosity=0, interactive=False)
    if not Assistant.objects.exists():
        seed_demo()
    began = time.perf_counter()
    fill(chosen.sessions, chosen.others)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    filled = time.perf_counter() - began
    print(json.dumps({"filled": filled, "pages": dict(measured(chosen.who))}))


if __name__ == "__main__":
    main()
