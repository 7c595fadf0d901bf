"""A recorded release: its database, and the conversations that wait in it."""

import gzip
import json
import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.journeys.banking import approve, keys, say
from tests.support.server import Client, wait_for

FOLDER = Path(__file__).parent
LATER = """
UPDATE dialogue_hitlsession SET expires_at = datetime('now', '+9 days'), urgent_at = datetime('now', '+9 days')
    WHERE decided_at IS NULL AND expires_at IS NOT NULL;
UPDATE dialogue_conversation SET idle_until = datetime('now', '+9 days') WHERE idle_until IS NOT NULL;
"""
"""A recording is older than its deadlines."""


@dataclass(frozen=True)
class Waiting:
    """A conversation that waits: how it is gone on with, and the keys of what it then says."""

    what: str
    path: str
    token: str
    then: str
    """What its customer says next; with nothing to say, its gate is approved."""

    keys: list[str] = field(default_factory=list)
    """Of every line of the assistant, when it has gone on."""

    def go_on(self, server: Client) -> list[str]:
        """Let it go on, and give the keys of everything that was said in it."""
        if self.then:
            say(server, self.path, self.token, 99, self.then)
        else:
            before = keys(server, self.path, self.token)
            approve(server, self._gate(server))
            wait_for(lambda: keys(server, self.path, self.token) != before)
        return keys(server, self.path, self.token)

    def _gate(self, server: Client) -> str:
        pending = server.get(self.path, self.token).body["pending"]
        (gate,) = [str(each["session"]) for each in pending if each["audience"] == "staff"]
        return gate


@dataclass(frozen=True)
class Recording:
    """One release's database and what waits in it, as two files."""

    release: str

    @property
    def waiting(self) -> list[Waiting]:
        return [Waiting(**each) for each in json.loads(self._list.read_text())]

    def restore(self, database: Path) -> None:
        """Make the database as it was, with deadlines that are still to come."""
        database.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(database)) as made:
            made.executescript(gzip.decompress(self._sql.read_bytes()).decode())
            made.executescript(LATER)

    def keep(self, database: Path, waiting: list[Waiting]) -> None:
        """Write both files."""
        with closing(sqlite3.connect(database)) as recorded:
            sql = "\n".join(recorded.iterdump())
        self._sql.write_bytes(gzip.compress(sql.encode(), mtime=0))
        self._list.write_text(json.dumps([asdict(each) for each in waiting], indent=2) + "\n")

    @property
    def _sql(self) -> Path:
        return FOLDER / f"{self.release}.sql.gz"

    @property
    def _list(self) -> Path:
        return FOLDER / f"{self.release}.json"


def recordings() -> list[Recording]:
    """Every release that was recorded, the oldest first."""
    return [Recording(path.stem) for path in sorted(FOLDER.glob("*.json"))]
