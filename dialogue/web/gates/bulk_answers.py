"""Gates with the same form, answered together: one form, and for each gate a submission through the desk's door."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from dialogue.desk.access.looks import look
from dialogue.desk.access.people import Person, visible_sessions
from dialogue.desk.forms.action_preview import shown
from dialogue.desk.forms.refusals import SessionNotFound, decision_sentence
from dialogue.desk.sessions import service as door
from dialogue.desk.sessions.decisions import read_answer
from dialogue.desk.sessions.service import Answer, Caller, Refused
from dialogue.models import HITLSession
from dialogue.turns.live.serializers import listed_title
from dialogue.web.gates.forms import title_of

MOST = 50
"""Gates of one answer."""
LONGEST_KEY = 100


@dataclass(frozen=True)
class Member:
    """One of the gates, with the values that it is about."""

    session: HITLSession
    values: list[tuple[str, str]]


@dataclass(frozen=True)
class Result:
    """What became of one gate: the status of its answer and a sentence; `good` when it was taken."""

    number: int
    title: str
    status: int
    text: str
    code: str = ""

    @property
    def good(self) -> bool:
        return self.status < 400

    def plain(self) -> dict[str, Any]:
        """As JSON: {session, status, code, detail}; the code is null for what was taken."""
        return {
            "session": f"g{self.number}",
            "status": self.status,
            "code": self.code or None,
            "detail": self.text,
        }


def chosen(person: Person, numbers: Iterable[str]) -> list[HITLSession]:
    """The open gates of these numbers that this person may know of, in the queue's order."""
    staff = visible_sessions(person).filter(audience=HITLSession.Audience.STAFF, kind=HITLSession.Kind.HUMAN)
    rows = staff.filter(pk__in=numbers_in(numbers), state__in=HITLSession.UNDECIDED)
    return list(rows.order_by("urgent_at", "-priority", "number"))


def numbers_in(texts: Iterable[str]) -> list[int]:
    """The numbers that these texts are, each once, and no more than are answered together."""
    return sorted({int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 19})[:MOST]


def same_forms(sessions: Iterable[HITLSession]) -> list[list[HITLSession]]:
    """The gates by what they ask and offer, the largest group first."""
    groups: dict[str, list[HITLSession]] = {}
    for session in sessions:
        groups.setdefault(_form_of(session), []).append(session)
    return sorted(groups.values(), key=len, reverse=True)


def members_of(sessions: Iterable[HITLSession], person: Person) -> list[Member]:
    """Each gate with its values, in full for who may decide it."""
    return [Member(session, _values(session, unmasked=look(session, person))) for session in sessions]


def wrong_everywhere(session: HITLSession, answer: Answer) -> Refused | None:
    """What would be refused at every gate alike is told before any of them is answered."""
    try:
        read_answer(session, answer)
    except Refused as refused:
        return refused
    return None


def answer_each(caller: Caller, versions: Mapping[int, int | None], answer: Answer, key: str) -> list[Result]:
    """Submit the same answer to every gate, one transaction each; a refused one stops none of the others."""
    return [_answer(caller, number, version, answer, _key_at(number, key)) for number, version in versions.items()]


def _answer(caller: Caller, number: int, version: int | None, answer: Answer, key: str) -> Result:
    try:
        outcome = door.submit(number, caller, answer, version=version, key=key)
    except SessionNotFound as refused:
        return Result(number, "", refused.status, refused.detail, refused.code)
    except Refused as refused:
        title = listed_title(refused.session) if refused.session else ""
        return Result(number, title, refused.status, refused.detail, refused.code)
    text = decision_sentence(outcome.session) if outcome.status != 202 else ""
    return Result(number, listed_title(outcome.session), outcome.status, text)


def _key_at(number: int, key: str) -> str:
    """The key of one gate's part; a long one by its hash, because a row has no room for more."""
    short = key if len(key) <= LONGEST_KEY else sha256(key.encode()).hexdigest()
    return f"{short}:{number}" if key else ""


def _form_of(session: HITLSession) -> str:
    """What two gates have in common when one form answers both: fields, actions, and how many must agree."""
    asked: Any = [session.schema, session.actions, session.flow, session.step, session.people_required]
    return sha256(json.dumps(asked, sort_keys=True, default=str).encode()).hexdigest()


def _values(session: HITLSession, *, unmasked: bool) -> list[tuple[str, str]]:
    return [(title_of(entry["name"]), shown(entry, unmasked=unmasked)) for entry in session.shown]
