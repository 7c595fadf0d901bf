"""Rows with strange texts, written beside the running product, as many at once as there are texts."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any
from uuid import uuid4

from tests.support.browser.house import Case, House

QUEUE = 9_999
"""The key of the group with a strange name."""
NAME = """
    INSERT INTO auth_group (id, name) VALUES (:queue, :name);
    INSERT INTO dialogue_sessiontag (session_id, name) VALUES (:gate, :name);
    UPDATE dialogue_assistant SET title = :name, description = :name WHERE id = :home;
    UPDATE dialogue_release SET note = :name, published_by_id = :author WHERE assistant_id = :home;
    UPDATE dialogue_flowversion SET note = :name, author_id = :author
        WHERE flow_id IN (SELECT id FROM dialogue_flow WHERE assistant_id = :home);
    UPDATE dialogue_conversation SET user_ref = :name WHERE id = :chat;
    UPDATE dialogue_hitlsession SET title = :name, message = :name, group_id = :queue WHERE number = :gate;
    UPDATE dialogue_savedview SET name = :name WHERE id = (SELECT min(id) FROM dialogue_savedview)
"""
NOBODYS = "WHERE username LIKE 'stranger-%'"


@contextmanager
def database_of(house: House) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(house.server.data / "soni.sqlite3", timeout=20)) as database, database:
        yield database


def copy_row(database: sqlite3.Connection, table: str, row: str, **changes: Any) -> int:
    """A copy of the row that this condition finds, under a new key; the key."""
    found = database.execute(f"SELECT * FROM {table} WHERE {row}")
    names = [column[0] for column in found.description]
    facts = {**dict(zip(names, found.fetchone(), strict=True)), names[0]: None, **changes}
    places = ", ".join("?" * len(facts))
    made = database.execute(f"INSERT INTO {table} ({_columns(facts)}) VALUES ({places})", list(facts.values()))
    return int(made.lastrowid or 0)


def _columns(facts: dict[str, Any]) -> str:
    return ", ".join(f'"{name}"' for name in facts)


def gates_titled(database: sqlite3.Connection, like: int, titles: Sequence[str]) -> list[int]:
    """A gate of each title beside the gate of this number; every open console is told of it as of any new one."""
    made = []
    for visit, title in enumerate(titles, start=1000):
        uid = uuid4().hex
        made.append(copy_row(database, "dialogue_hitlsession", f"number = {like}", uid=uid, visit=visit, title=title))
    opened = ((number, 1) for number in made)
    told = "INSERT INTO dialogue_inboxevent (kind, session_id, version, at) VALUES ('opened', ?, ?, datetime('now'))"
    database.executemany(told, opened)
    return made


def colleagues_who_look(database: sqlite3.Connection, at: int, names: Sequence[str]) -> None:
    """A colleague of each name has this gate open."""
    for place, name in enumerate(names):
        facts = {"username": f"stranger-{place:03}", "first_name": name, "last_name": ""}
        made = copy_row(database, "auth_user", "username = 'oscar'", **facts)
        look = "INSERT INTO dialogue_presence (session_id, by_id, until) VALUES (?, ?, datetime('now', '+1 minute'))"
        database.execute(look, (at, made))


def forget(database: sqlite3.Connection, gates: Sequence[int]) -> None:
    """What was written here goes again, so that no other test meets it."""
    numbers = ", ".join(map(str, gates))
    for table in ("dialogue_inboxevent", "dialogue_presence"):
        database.execute(f"DELETE FROM {table} WHERE session_id IN ({numbers})")
    database.execute(f"DELETE FROM dialogue_presence WHERE by_id IN (SELECT id FROM auth_user {NOBODYS})")
    database.execute(f"DELETE FROM dialogue_hitlsession WHERE number IN ({numbers})")
    database.execute(f"DELETE FROM auth_user {NOBODYS}")


def name_all(database: sqlite3.Connection, case: Case, name: str) -> None:
    """The strange assistant, its releases, its author, this gate, its queue and its customer have the same name now."""
    [home] = database.execute("SELECT id FROM dialogue_assistant WHERE name = 'strange'").fetchone()
    names = {"username": "strange", "first_name": name, "last_name": ""}
    author = copy_row(database, "auth_user", "username = 'arthur'", **names)
    places = {"chat": case.conversation.replace("-", ""), "gate": int(case.gate.removeprefix("g")), "queue": QUEUE}
    for statement in NAME.split(";"):
        database.execute(statement, {"name": name, "home": home, "author": author, **places})


def forget_queue(database: sqlite3.Connection) -> None:
    database.execute("UPDATE dialogue_hitlsession SET group_id = NULL WHERE group_id = ?", [QUEUE])
    database.execute("DELETE FROM auth_group WHERE id = ?", [QUEUE])
