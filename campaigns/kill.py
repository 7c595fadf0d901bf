"""Servers are killed by -9, at every fault point and at random, while people use them; then accounts are compared."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from campaigns.support.campaign import Campaign, Tally
from campaigns.support.customers import ShopUsers, Talk
from campaigns.support.outside import Outside, outside_world
from campaigns.support.ready import copy_migrated, migrated_cluster
from campaigns.support.shop import CLAIM, FILED, IN_ORDER, PARTS
from dialogue.turns.process.crash_points import AGENT_POINTS, CHANNEL_POINTS, SHARED_COMMIT_POINTS
from dialogue.turns.process.crash_points import POINTS as ALL_POINTS
from tests.support.processes.postgres import postgres_server
from tests.support.processes.server import ROOT, free_port

AT_RANDOM = 4
"""One of so many kills comes at any moment, and not at a fault point."""

REST_WITHIN = 30.0
END_WITHIN = 60.0
REACHED_WITHIN, AT_LAST = 8.0, 60.0
"""Seconds that a server may live until it passes its point; the second time, at its first passage."""

POINTS = tuple(point for point in ALL_POINTS if point not in AGENT_POINTS | CHANNEL_POINTS)
"""Agents' requests have a table of their own: `python -m conformance`; channels `tests/channels/test_kills.py`."""

RARE = frozenset(
    {
        "B3",
        "B3s",
        "C2",
        "C3",
        "C4",
        "C5",
        "D1",
        "D6",
        "E1",
        "G1",
        "G2",
        "T1",
        "T2",
        "T3",
        "U1",
        "U2",
        "U3",
        "U4",
        "U5",
        "U6",
        "U7",
        "W1",
        "W2",
    }
)
"""Points that are passed too seldom to wait for the third time."""


class ForkServer:
    """The warm process that servers are forked from, and the data that they share."""

    def __init__(self, folder: Path, outside: Outside, database: str, **more: str) -> None:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "soni_admin.settings",
            "SONI_DATA": str(folder),
            "SONI_DEPLOYMENT": "embedded",
            "SONI_ACTIONS": "campaigns.support.outside_actions",
            "SONI_LOG_LEVEL": "ERROR",
            "NLU_EMBEDDED": "off",
            "OUTSIDE_URL": outside.url,
            "DATABASE_URL": database,
            **more,
        }
        self._log = (folder / "servers.log").open("a")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "campaigns.support.forked_servers"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def ask(self, do: str, **more: Any) -> Any:
        """One command, one answer."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._log.close()


@dataclass
class Servers:
    """One deployment: its servers by port, each alive or dead."""

    fork_server: ForkServer
    ports: list[int]
    alive: dict[int, int] = field(default_factory=dict)

    def start(self, port: int, point: str = "", passage: int = 1, *, stops: bool = False) -> int:
        """A server that ends at this point, or stands still there; its process id."""
        pid: int = self.fork_server.ask("serve", port=port, point=point, passage=passage, stops=stops)
        self.alive[port] = pid
        return pid

    def is_alive(self, port: int) -> bool:
        try:
            os.kill(self.alive[port], 0)
        except (KeyError, ProcessLookupError):
            self.alive.pop(port, None)
            return False
        return True

    def kill(self, port: int) -> None:
        if self.is_alive(port):
            os.kill(self.alive.pop(port), signal.SIGKILL)

    def start_missing(self) -> None:
        """Let every port have a server without a trap."""
        for port in self.ports:
            if not self.is_alive(port):
                self.start(port)


class Line(NamedTuple):
    """A line of a stored transcript."""

    seq: int
    role: str
    key: str
    text: str


@dataclass(frozen=True)
class Deployment:
    """A database, by its URL ("" is a SQLite file in the folder), and how many servers share it."""

    word: str
    folder: Path
    url: str
    servers: int

    @property
    def points(self) -> list[str]:
        """The points that its servers pass: only SQLite's writes share commits."""
        return [point for point in POINTS if not self.url or point not in SHARED_COMMIT_POINTS]


def _run(size: int, chance: int, tally: Tally) -> None:
    days = (_on_sqlite, _on_postgres)
    tallies = [Tally() for _ in days]
    with ThreadPoolExecutor(len(days)) as pool:
        for done in [pool.submit(day, size, chance, own) for day, own in zip(days, tallies, strict=True)]:
            done.result()
    for own in tallies:
        tally.tried += own.tried
        tally.outcomes.update(own.outcomes)
        tally.failures += own.failures
        tally.late += own.late


def _on_sqlite(size: int, chance: int, tally: Tally) -> None:
    with _folder() as folder:
        copy_migrated(folder)
        kill_repeatedly(Deployment("sqlite", folder, "", 1), size, chance, tally)


def _on_postgres(size: int, chance: int, tally: Tally) -> None:
    with postgres_server(durable=True, cluster=migrated_cluster()) as server, _folder() as folder:
        kill_repeatedly(Deployment("postgresql", folder, server.dsn, 2), size, chance, tally)


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="soni-kill-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def kill_repeatedly(deployment: Deployment, size: int, chance: int, tally: Tally) -> None:
    """Kill `size` servers of one deployment, let the last ones come to rest, and compare the accounts."""
    with outside_world(deployment.folder, chance) as outside:
        fork_server = ForkServer(deployment.folder, outside, deployment.url)
        servers = Servers(fork_server, [free_port() for _ in range(deployment.servers)])
        users = ShopUsers(servers.ports, outside, Random(chance))
        try:
            fork_server.ask("prepare")
            users.open()
            _kill_each_in_turn(servers, deployment.points, size, Random(chance), tally)
            servers.start_missing()
            users.closing = True
            rest = seconds_to_rest(fork_server)
            mended = fork_server.ask("mend")
            ended = users.close(END_WITHIN)
            account = fork_server.ask("account")
        finally:
            for port in servers.ports:
                servers.kill(port)
            fork_server.close()
    tally.outcomes[deployment.word] += size
    tally.outcomes["messages acknowledged"] += sum(len(talk.said) for talk in users.talks)
    tally.outcomes["lines read while the action ran"] += sum(talk.early for talk in users.talks)
    tally.outcomes["reports acknowledged"] += sum(talk.reported for talk in users.talks)
    tally.outcomes["files acknowledged"] += sum(len(talk.said) > 1 for talk in _claims(users))
    tally.outcomes["files of forms acknowledged"] += len(users.receipts)
    tally.outcomes["decisions acknowledged"] += len(users.decided)
    tally.outcomes["effects outside"] += sum(outside.effects.values())
    tally.outcomes["incidents mended"] += mended
    tally.time(f"to rest on {deployment.word}", rest)
    tally.failures += [f"{deployment.word}: {fault}" for fault in faults(users, account, ended=ended)]
    tally.late += [f"{deployment.word}: {lateness}" for lateness in (*_unrest(rest), *_unreached(deployment, tally))]


def _kill_each_in_turn(servers: Servers, points: list[str], size: int, random: Random, tally: Tally) -> None:
    random.shuffle(points)
    named = 0
    for number in range(size):
        port = servers.ports[number % len(servers.ports)]
        servers.kill(port)
        if number % AT_RANDOM == 0:
            _kill_at_random(servers, port, random)
            tally.count("at random")
        else:
            point = points[named % len(points)]
            named += 1
            passage = random.randint(1, 1 if point in RARE else 3)
            reached = _kill_at(servers, port, point, passage)
            reached = reached or _kill_at(servers, port, point, 1, AT_LAST)
            tally.count(point if reached else "not reached")


def _kill_at_random(servers: Servers, port: int, random: Random) -> None:
    servers.start_missing()
    time.sleep(random.uniform(0.4, 1.6))
    servers.kill(port)


def _kill_at(servers: Servers, port: int, point: str, passage: int, within: float = REACHED_WITHIN) -> bool:
    """Let a server live until it passes the point; whether it did, in time."""
    servers.start(port, point, passage)
    servers.start_missing()
    until = time.monotonic() + within
    while time.monotonic() < until:
        if not servers.is_alive(port):
            return True
        time.sleep(0.01)
    servers.kill(port)
    return False


def seconds_to_rest(fork_server: ForkServer) -> float:
    """How long until all that was accepted by now is done."""
    began, before = time.monotonic(), datetime.now(UTC).isoformat()
    while fork_server.ask("rest", before=before) and time.monotonic() < began + REST_WITHIN + 5:
        time.sleep(0.3)
    return time.monotonic() - began


def faults(users: ShopUsers, account: dict[str, Any], *, ended: bool) -> Iterator[str]:
    """Where the accounts differ."""
    outside = users.outside
    yield from users.failures
    yield from account["broken"]
    if not ended:
        yield f"{sum(not talk.over for talk in users.talks)} conversations did not come to their end"
    yield from (f"two effects under {key}" for key in outside.twice())
    yield from _lost(users, account)
    charged = (outside.done_at(f"{talk.conversation}/order-1/charge/") for talk in users.talks if talk.conversation)
    yield from (f"charged {times} times for one order" for times in charged if times > 1)
    yield from _wrongly_packed(users, account)
    yield from _wrongly_filed(users, account)
    yield from _wrongly_told(outside, account)
    heard = account["decided"]
    yield from (
        f"{gate}: {action} became {heard.get(gate)}"
        for gate, action in users.decided.items()
        if heard.get(gate) != action
    )


def _wrongly_packed(users: ShopUsers, account: dict[str, Any]) -> Iterator[str]:
    """Orders with more rounds of the loop than parts, and finished ones of which a part was not packed."""
    lines = _transcripts(account)
    for talk in (talk for talk in users.talks if talk.conversation):
        # A part may be packed under two keys: after a refusal the action is tried again under a new one.
        packed = [users.outside.done_at(f"{talk.conversation}/order-1/pack/{visit}/") for visit in range(1, PARTS + 2)]
        is_done = any(line.key == "say:done" for line in lines.get(talk.conversation, []))
        if packed[PARTS] or (is_done and not all(packed[:PARTS])):
            yield f"{talk.conversation}: packed {packed}"


def _wrongly_filed(users: ShopUsers, account: dict[str, Any]) -> Iterator[str]:
    """Files that were acknowledged and are not there once, files without an owner, and lists that became others."""
    sent = {talk.conversation: talk.said[1][1] for talk in _claims(users) if len(talk.said) > 1}
    stored_files = [*sent.items(), *users.receipts.items()]
    expected = sorted([conversation, name, sha256(name.encode()).hexdigest()] for conversation, name in stored_files)
    rows = account["files"]["rows"]
    if sorted(row[:3] for row in rows) != expected:
        yield f"files {sorted(row[:3] for row in rows)}, acknowledged {expected}"
    contents = account["files"]["contents"]
    if account["files"]["listed"]:
        yield f"{account['files']['listed']} contents are still listed for deletion"
    if contents != {row[3]: row[2] for row in rows}:
        yield f"contents {contents} are not those of the rows {rows}"
    lines = _transcripts(account)
    for talk in _claims(users):
        filed = [line.text for line in lines.get(talk.conversation, []) if line.key == "say:filed"]
        receipt = users.receipts.get(talk.conversation)
        if filed != [FILED.format(name=sent.get(talk.conversation), receipt=receipt)]:
            yield f"{talk.conversation}: the claim ended with {filed}"


def _wrongly_told(outside: Outside, account: dict[str, Any]) -> Iterator[str]:
    """Lines of which no webhook told, or two under different ids, and conversations that were told in another order."""
    if account["untold"]:
        yield f"{account['untold']} webhooks were not sent"
    lines = [(conversation, line.seq) for conversation, rows in _transcripts(account).items() for line in rows]
    yield from (f"no webhook told of {line}" for line in lines if line not in outside.told)
    yield from (f"{ids} told of {line}" for line, ids in outside.told.items() if len(set(ids)) > 1)
    numbers: dict[str, list[int]] = {}
    for conversation, number in outside.told:
        numbers.setdefault(conversation, []).append(number)
    yield from (f"{key} was told in the order {told}" for key, told in numbers.items() if told != sorted(told))


def _claims(users: ShopUsers) -> list[Talk]:
    return [talk for talk in users.talks if talk.lines == CLAIM and talk.conversation]


def _unrest(rest: float) -> Iterator[str]:
    if rest > REST_WITHIN:
        yield f"not at rest {rest:.0f} s after the last kill"


def _unreached(deployment: Deployment, tally: Tally) -> Iterator[str]:
    """Points at which no server of this database died: what was not tried proves nothing."""
    yield from (f"nobody died at {point}" for point in deployment.points if not tally.outcomes[point])


def _lost(users: ShopUsers, account: dict[str, Any]) -> Iterator[str]:
    """What was acknowledged and is not there, is there twice, has no turn, or stands in another order."""
    stored: dict[str, list[tuple[str, str]]] = {}
    for conversation, client_id, state in account["events"]:
        stored.setdefault(conversation, []).append((client_id, state))
    lines = _transcripts(account)
    for talk in users.talks:
        told = [(client_id, "done") for client_id, _ in talk.said]
        if stored.get(talk.conversation, []) != told:
            yield f"{talk.conversation}: told {told}, stored {stored.get(talk.conversation)}"
        stored_lines = lines.get(talk.conversation, [])
        if [line.text for line in stored_lines if line.role == "user"] != [text for _, text in talk.said]:
            yield f"{talk.conversation}: the transcript is not what was said"
        yield from _unlike(talk, stored_lines)
        if account["reports"].count(talk.conversation) != talk.reported:
            yield f"{talk.conversation}: {account['reports'].count(talk.conversation)} reports, told {talk.reported}"


def _transcripts(account: dict[str, Any]) -> dict[str, list[Line]]:
    """The stored lines by their conversations."""
    lines: dict[str, list[Line]] = {}
    for conversation, *facts in account["lines"]:
        lines.setdefault(conversation, []).append(Line(*facts))
    return lines


def _unlike(talk: Talk, lines: list[Line]) -> Iterator[str]:
    """What the assistant said twice or in another order, and what was read and is not there any more."""
    said = [line.key for line in lines if line.key in IN_ORDER]
    if said != sorted(set(said), key=IN_ORDER.index):
        yield f"{talk.conversation}: the assistant said {said}"
    if {"say:posted", "say:late"} <= set(said):
        yield f"{talk.conversation}: the event came in time and too late"
    stored = {line.seq: line.text for line in lines}
    lost = [seq for seq, text in talk.read.items() if stored.get(seq) != text]
    if lost:
        yield f"{talk.conversation}: lines {lost} were read and are not there"


CAMPAIGN = Campaign(
    name="kill",
    passes_when="on each database every point, 0 lost, 0 gaps or repeats, 0 effects twice, rest in 30 s, invariants 0",
    ci=len(POINTS) * AT_RANDOM // (AT_RANDOM - 1) + 1,  # each point once
    full=256,
    outcomes=(
        "at random",
        "sqlite",
        "postgresql",
        "lines read while the action ran",
        "files acknowledged",
        "files of forms acknowledged",
        *POINTS,
    ),
    run=_run,
    promises=REST_WITHIN,
)
