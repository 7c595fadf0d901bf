"""Everything that the page of one gate shows: the card, the way here, and what was done to it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from dialogue.desk import cards, choices
from dialogue.desk.consequences import consequences_of, shown
from dialogue.desk.people import UNMASK, Person
from dialogue.desk.queue import next_most_urgent
from dialogue.desk.refusals import Refused, name_of
from dialogue.models import Conversation, HITLSession, Turn
from dialogue.turns import clock
from dialogue.web.gate_forms import Control, Typed, controls_of, title_of, typed_before
from dialogue.web.rows import decider, outcome_words

State = HITLSession.State


@dataclass(frozen=True)
class Value:
    """One value at stake; `was` and `turn` say what it was before, when it has changed."""

    title: str
    shown: str
    note: str = ""
    was: str = ""
    turn: int = 0


@dataclass(frozen=True)
class Way:
    """One action with its consequence; `id` empty for what only the deadline can do."""

    id: str
    label: str
    style: str
    step: str
    text: str
    on_expiry: bool
    key: str


@dataclass(frozen=True)
class Slot:
    """A slot with where its value came from; `source` is user, action, operator, default or flow."""

    name: str
    shown: str
    source: str
    origin: str
    new: bool


@dataclass(frozen=True)
class Place:
    """One step of the path; `kind` is past, now or next."""

    step: str
    kind: str
    note: str = ""
    lit: bool = False


@dataclass(frozen=True)
class Deed:
    """One line of the history."""

    at: datetime | None
    text: str
    refused: bool


@dataclass(frozen=True)
class GatePage:
    """What the template reads, in the order of the page."""

    session: HITLSession
    controls: list[Control]
    values: list[Value]
    ways: list[Way]
    expiry: str
    allowed: frozenset[str]
    typed: Typed
    refused: Refused | None
    holder: str
    mine: bool
    over: bool
    decided_by: str
    decided_what: str
    next: HITLSession | None

    @property
    def conflict(self) -> bool:
        """Whether somebody was faster than what this person has just sent."""
        return self.refused is not None and self.over

    @property
    def wrong(self) -> list[Control]:
        return [control for control in self.controls if control.error]


def gate_page(session: HITLSession, person: Person, typed: Typed | None = None, refused: Refused | None = None) -> GatePage:
    """The card of this session as this person sees it, with what they typed and why it was refused, if it was."""
    typed = typed or typed_before(session, person)
    over = session.state in HITLSession.FINAL
    held = session.state == State.CLAIMED and session.claimed_until is not None and session.claimed_until > clock.now()
    return GatePage(
        session=session,
        controls=controls_of(session, typed, refused),
        values=list(_values(session, unmasked=person.has(UNMASK))),
        ways=_ways(session, unmasked=person.has(UNMASK)),
        expiry=choices.label(session, session.on_timeout) if session.on_timeout else "",
        allowed=frozenset(cards.allowed(session, person)),
        typed=typed,
        refused=refused,
        holder=name_of(session.assignee) if held and session.assignee else "",
        mine=held and session.assignee_id == person.id,
        over=over,
        decided_by=decider(session) if over else "",
        decided_what=outcome_words(session) if over else "",
        next=next_most_urgent(person, session.number),
    )


def slots_of(conversation: Conversation, frame: str, *, unmasked: bool) -> list[Slot]:
    """The filled slots of one frame, with who or what filled them, and in which turn."""
    entry = _frame(conversation, frame)
    return [_slot(conversation, name, stored, unmasked) for name, stored in entry.get("slots", {}).items()]


def path_of(session: HITLSession) -> list[Place]:
    """The steps that were passed, the one that waits, and those that each answer leads to."""
    passed = [_passed(each) for each in _frame(session.conversation, session.frame).get("path", ())]
    if session.state in HITLSession.FINAL:
        return [*passed, Place(session.step, "past", outcome_words(session))]
    ahead: dict[str, list[str]] = {}
    for way in _ways(session, unmasked=False):
        ahead.setdefault(way.step, []).append(way.label)
    approving = {way.step for way in _ways(session, unmasked=False) if way.style == "primary"}
    next_steps = [
        Place(step, "next", _("on %s") % ", ".join(labels), step in approving) for step, labels in ahead.items()
    ]
    return [*passed, Place(session.step, "now"), *next_steps]


def history_of(session: HITLSession, person: Person) -> list[Deed]:
    """What was done to the session and what was refused, in words, oldest first."""
    return [_deed(line, person) for line in cards.history(session)]


def _values(session: HITLSession, *, unmasked: bool) -> Iterator[Value]:
    changes = _changes(session)
    for entry in session.shown:
        was, turn = changes.get(entry["name"], ("", 0))
        yield Value(
            title=title_of(entry["name"]),
            shown=shown(entry, unmasked=unmasked) or _("empty"),
            was=was,
            turn=turn,
        )


def _ways(session: HITLSession, *, unmasked: bool) -> list[Way]:
    outcomes = consequences_of(session, unmasked=unmasked)
    ways = []
    for action in choices.actions_of(session):
        outcome = outcomes.get(action.id)
        key = "a" if action.approves else "x" if action.reason or action.style == "danger" or action.id == "reject" else ""
        ways.append(
            Way(
                id=action.id,
                label=choices.label_of(action),
                style="primary" if action.approves else action.style,
                step=outcome.next if outcome else "",
                text=outcome.text if outcome else "",
                on_expiry=session.on_timeout == action.id,
                key=key,
            )
        )
    expiry = outcomes.get("")
    if expiry is not None and session.on_timeout and not any(way.on_expiry for way in ways):
        ways.append(Way("", _("Expiry"), "default", expiry.next, expiry.text, True, ""))
    return ways


def _changes(session: HITLSession) -> dict[str, tuple[str, int]]:
    """What each slot of the frame was before its last change, and the turn of that change."""
    changes: dict[str, tuple[str, int]] = {}
    turns = Turn.objects.filter(conversation=session.conversation).order_by("number").values_list("number", "record")
    for number, record in turns:
        for change in record.get("slots", ()):
            same = change.get("frame") == session.frame and change.get("from") not in (None, "", change.get("to"))
            if same:
                changes[change["slot"]] = (str(change["from"]), number)
    return changes


def _frame(conversation: Conversation, frame: str) -> dict[str, Any]:
    found: dict[str, Any] = next((entry for entry in conversation.stack if entry.get("frame") == frame), {})
    return found


def _slot(conversation: Conversation, name: str, stored: dict[str, Any], unmasked: bool) -> Slot:
    source, turn = stored.get("source", ""), stored.get("turn", 0)
    who = {
        "user": _("customer"),
        "action": _("action %s") % stored.get("by", ""),
        "operator": _("operator %s") % stored.get("by", ""),
        "default": _("default"),
        "flow": _("flow"),
    }.get(source, source)
    told = {"who": who.strip(), "turn": turn}
    text = shown(stored, unmasked=unmasked) if stored.get("value") is not None else _("skipped")
    return Slot(name, text, source, _("%(who)s, turn %(turn)s") % told, turn == conversation.last_turn)


def _passed(entry: dict[str, Any]) -> Place:
    return Place(entry.get("step", ""), "past")


def _deed(line: dict[str, Any], person: Person) -> Deed:
    who = _("You") if line["by"] == person.name else line["by"]
    done = str(_DONE.get(line["act"].removeprefix("session."), lambda: line["act"])())
    text = _("%(who)s: %(done)s") % {"who": who, "done": done} if who not in ("", "engine", "clock") else done
    if line["refused"]:
        text = _("%(who)s: refused, %(why)s") % {"who": who, "why": line["text"]}
    elif line["text"]:
        text = f"{text}, “{line['text']}”"
    return Deed(parse_datetime(line["at"]), text, line["refused"])


_DONE = {
    "opened": lambda: _("Asked"),
    "claim": lambda: _("claimed it"),
    "release": lambda: _("gave it back"),
    "claim_returned": lambda: _("Claim ran out"),
    "take_over": lambda: _("took it over"),
    "save_draft": lambda: _("saved a draft"),
    "snooze": lambda: _("snoozed it"),
    "extend": lambda: _("moved the deadline"),
    "submit": lambda: _("decided"),
    "agree": lambda: _("agreed"),
    "expire": lambda: _("let it expire"),
    "cancel": lambda: _("withdrew it"),
    "cancelled": lambda: _("Withdrawn"),
    "note": lambda: _("wrote a note"),
    "retry": lambda: _("had it delivered again"),
    "abandon": lambda: _("gave the delivery up"),
    "orphaned": lambda: _("The decision found no open question"),
}
