"""A bank in a process of its own, with as many operators as a race needs, over real HTTP."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier
from typing import TypeVar

from campaigns.support.ready import bank_cluster, copy_bank
from tests.support.processes.postgres import postgres_server
from tests.support.processes.server import Answer, Server, wait_for

Result = TypeVar("Result")


@dataclass
class BusyBank:
    """The running server, and what happened outside because of it."""

    server: Server
    effects: Path
    numbers: "count[int]"

    def open_gate(self) -> str:
        """A transfer of Ursula's that waits for approval; the gate's name."""
        made = self.server.post("/api/v1/conversations", {"assistant": "bank"}, "ursula").body
        path = f"/api/v1/conversations/{made['id']}/messages"
        said = {}
        for text in ("send 6000 to Lindqvist Marine, DE89370400440532013000", "yes"):
            body = {"id": f"m{next(self.numbers)}", "text": text}
            said = self.server.post(path, body, made["token"]).body
        gates = [str(each["session"]) for each in said["pending"] if each["audience"] == "staff"]
        assert len(gates) == 1, said
        return gates[0]

    def act(self, gate: str, operation: str, who: str, **body: object) -> Answer:
        """One operation on a gate, as somebody."""
        return self.server.post(f"/api/v1/sessions/{gate}/{operation}", body, who)

    def look(self, gate: str) -> dict[str, object]:
        """The gate as Sofia sees it."""
        seen: dict[str, object] = self.server.get(f"/api/v1/sessions/{gate}", "sofia").body
        return seen

    def money_sent(self) -> list[str]:
        """The keys of the payments that left the house."""
        lines = self.effects.read_text().splitlines() if self.effects.exists() else []
        return [line.split()[1] for line in lines if line.startswith("send_money")]

    def at_rest(self, gates: Sequence[str]) -> bool:
        """Wait until every gate is final and its decision was heard."""
        final = {"applied", "none"}
        return bool(wait_for(lambda: all(self.look(gate)["delivery"] in final for gate in gates), within=300))

    def broken_promises(self) -> list[str]:
        """The invariants whose count is not zero."""
        lines = self.server.manage("verify_invariants").splitlines()
        return [line for line in lines if line.strip() and not line.strip().startswith(("0 ", "0\t"))]


@contextmanager
def busy_bank(*, on_postgres: bool = False, **environment: str) -> Iterator[BusyBank]:
    """A bank of its own that runs until the campaign is over; on a SQLite file, or on PostgreSQL."""
    with TemporaryDirectory(prefix="soni-race-") as name, _database(Path(name) / "data", on_postgres) as database:
        effects = Path(name) / "effects"
        actions = "tests.support.journeys.slow_bank,dialogue.library.demo.library_actions"
        where = {"DATABASE_URL": database, "SONI_DEPLOYMENT": "embedded", **environment}
        server = Server(Path(name) / "data", SONI_ACTIONS=actions, SLOW_BANK_LEDGER=str(effects), **where)
        server.start()
        try:
            yield BusyBank(server, effects, count(1))
        finally:
            server.kill()


@contextmanager
def _database(data: Path, on_postgres: bool) -> Iterator[str]:
    """The URL of a copy of the bank's database; "" for the file in the data folder."""
    if not on_postgres:
        copy_bank(data)
        yield ""
        return
    with postgres_server(cluster=bank_cluster()) as server:
        yield server.dsn


def at_once(works: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run all of them in threads that start in the same moment; their results in order."""
    line = Barrier(len(works))

    def started(work: Callable[[], Result]) -> Result:
        line.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(started, works))
