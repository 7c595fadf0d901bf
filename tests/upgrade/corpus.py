"""A recorded version: its database, what waits in it, and how each went on under the code that recorded it."""

import gzip
import json
import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.upgrade.changes import CHANGES
from tests.upgrade.house import House, Step, Talk
from tests.upgrade.outcome import Outcome

FOLDER = Path(__file__).parent
LATER = """
UPDATE dialogue_hitlsession SET expires_at = datetime('now', '+9 days'), urgent_at = datetime('now', '+9 days')
    WHERE decided_at IS NULL AND expires_at IS NOT NULL;
UPDATE dialogue_hitlsession SET expires_at = datetime('now', '-9 seconds'), urgent_at = datetime('now', '-9 seconds')
    WHERE decided_at IS NULL AND step = 'overdue';
UPDATE dialogue_hitlsession SET claimed_until = datetime('now', '+9 days') WHERE state = 'claimed';
UPDATE dialogue_conversation SET idle_until = datetime('now', '+9 days') WHERE idle_until IS NOT NULL;
UPDATE django_session SET expire_date = datetime('now', '+9 days');
"""
"""A recording is older than its deadlines. One gate's deadline passed while no server ran."""

FACTS = """
import json
from collections import Counter
from hashlib import sha256
from django.contrib.auth.models import Group, User
from dialogue.models import (
    Assistant, AuditEntry, Conversation, Correction, FlowDraft, FlowVersion, Message, Release, Trial,
)

def listed(rows, *fields):
    return sorted([str(value) for value in row] for row in rows.objects.values_list(*fields))

def digested(rows, *fields):
    return [[*row[:-1], sha256(row[-1].encode()).hexdigest()[:16]] for row in listed(rows, *fields)]

def counted(rows, field):
    times = Counter(rows.objects.values_list(field, flat=True))
    return sorted([str(value), str(number)] for value, number in times.items())

print(json.dumps({
    "people": listed(User, "username", "groups__name", "is_staff", "is_superuser"),
    "rights": listed(Group, "name", "permissions__codename"),
    "releases": listed(Release, "assistant__name", "number", "trial", "sha256"),
    "active releases": listed(Assistant, "name", "active_release__number"),
    "versions": digested(FlowVersion, "flow__assistant__name", "flow__name", "number", "text"),
    "drafts": digested(FlowDraft, "flow__name", "author__username", "base", "text"),
    "proposed examples": listed(Correction, "flow", "text", "by__username", "turn"),
    "tests": listed(Trial, "conversation", "owner__username", "actions"),
    "conversations": listed(Conversation, "id", "state", "release__number", "test"),
    "lines": counted(Message, "conversation"),
    "audit entries": counted(AuditEntry, "chain"),
}))
"""
"""What a database holds beside its paused conversations, read by the models."""


@dataclass(frozen=True)
class Waiting:
    """A conversation that waits: how it is reached, how it goes on, and what comes of that."""

    what: str
    path: str
    token: str
    then: list[Step]
    outcome: Outcome
    session: str = ""
    link: str = ""
    gate: str = ""

    def go_on(self, house: House, lines: int = 0) -> Outcome:
        """Take every step; `lines` is how many lines of the assistant are waited for, where that is known."""
        talk = Talk(house, self.path, self.token, "next", self.session, self.link, self.gate)
        answers = [talk.do(step) for step in self.then]
        talk.settle(lines)
        said = talk.said()
        return Outcome(
            [key for key, _text in said],
            answers,
            [text for _key, text in said],
            house.effects(talk.id),
            talk.standing(),
        )


@dataclass(frozen=True)
class Recording:
    """One version's database and what waits in it, as two files."""

    release: str

    @property
    def waiting(self) -> list[Waiting]:
        return [Waiting(**{**row, "outcome": Outcome(**row["outcome"])}) for row in self._read()["waiting"]]

    @property
    def facts(self) -> dict[str, list[list[str]]]:
        """What `FACTS` gave when it was recorded; empty for what was recorded without."""
        facts: dict[str, list[list[str]]] = self._read().get("facts", {})
        return facts

    def expected(self, waiting: Waiting) -> Outcome:
        """What has to come of going on under the present code: the same, but for the changes on purpose."""
        change = CHANGES.get((self.release, waiting.what))
        return change.applied(waiting.outcome) if change else waiting.outcome

    def restore(self, database: Path) -> None:
        """Make the database as it was, with deadlines that are still to come."""
        database.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(database)) as made:
            made.executescript(gzip.decompress(self._sql.read_bytes()).decode())
        with closing(sqlite3.connect(database)) as made:  # which knows the virtual tables that were written above
            made.executescript(LATER)

    def keep_database(self, database: Path) -> None:
        """Write the database as SQL. The rows of virtual tables stand in their shadow tables."""
        with closing(sqlite3.connect(database)) as recorded:
            virtual = recorded.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'")
            left_out = tuple(f'INSERT INTO "{name}" VALUES' for (name,) in virtual)
            sql = "\n".join(statement for statement in recorded.iterdump() if not statement.startswith(left_out))
        self._sql.write_bytes(gzip.compress(sql.encode(), mtime=0))

    def keep(self, facts: dict[str, Any], waiting: list[Waiting]) -> None:
        """Write the list of what waits."""
        plain = {"facts": facts, "waiting": [asdict(row) for row in waiting]}
        self._list.write_text(json.dumps(plain, indent=1, ensure_ascii=False) + "\n")

    def _read(self) -> dict[str, Any]:
        plain: dict[str, Any] = json.loads(self._list.read_text())
        return plain

    @property
    def _sql(self) -> Path:
        return FOLDER / f"{self.release}.sql.gz"

    @property
    def _list(self) -> Path:
        return FOLDER / f"{self.release}.json"


def recordings() -> list[Recording]:
    """Every version that was recorded, the oldest first."""
    return [Recording(path.stem) for path in sorted(FOLDER.glob("*.json"))]


def read_facts(house: House) -> dict[str, Any]:
    """What `FACTS` gives for the data of a house."""
    facts: dict[str, Any] = json.loads(house.shell(FACTS).splitlines()[-1])
    return facts
