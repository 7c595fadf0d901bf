"""A chat that was handed over: a person writes to the customer, sets slots, and hands it back.

Whoever writes first in a chat that nobody has, has it; writing renews the claim.
"""

from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.desk import forms, moves, refusals
from dialogue.desk.claims import LEASE, renew
from dialogue.desk.decisions import decide
from dialogue.desk.forms import Manner
from dialogue.desk.passage import Knock, Outcome, Visit, go_through, wake
from dialogue.desk.people import Caller
from dialogue.desk.refusals import WrongField
from dialogue.desk.storable import storable
from dialogue.engine.slots import Slot
from dialogue.engine.values import ValueRefused
from dialogue.models import Event, HITLSession
from dialogue.turns.accept import Incoming, accept

LONGEST_LINE = 10_000
HANDED_BACK = "hand_back"


def say(number: int, caller: Caller, text: str) -> Outcome:
    """Write a line to the customer."""

    def write(visit: Visit) -> Outcome:
        _check(visit)
        if not text.strip() or len(text) > LONGEST_LINE:
            detail = _("Write between 1 and %s characters.") % f"{LONGEST_LINE:,}"
            raise refusals.InvalidValue(detail, session=visit.session)
        _take_chat(visit)
        _send(visit, Event.Kind.SAY, {"text": text}, text)
        return Outcome(visit.session)

    return go_through(Knock(number, caller, moves.SAY), write)


def set_slots(number: int, caller: Caller, values: Mapping[str, Any], manner: Manner = Manner.PLAIN) -> Outcome:
    """Set slots for the customer; the customer is told nothing. All values are taken, or none."""

    def write(visit: Visit) -> Outcome:
        _check(visit)
        taken = _slot_values(visit.session, values, manner)
        _take_chat(visit)
        visit.note({"slots": sorted(taken)}, {"values": storable(taken)})
        _send(visit, Event.Kind.SLOTS, {"values": taken})
        return Outcome(visit.session)

    return go_through(Knock(number, caller, moves.SET_SLOTS), write)


def hand_back(number: int, caller: Caller) -> Outcome:
    """Give the chat back to the bot, which goes on at the step that was awaited."""

    def write(visit: Visit) -> Outcome:
        _check(visit)
        decide(visit, HANDED_BACK, {}, "", status=200)
        return Outcome(visit.session)

    return go_through(Knock(number, caller, moves.HAND_BACK), write)


def _check(visit: Visit) -> None:
    visit.check()
    if visit.session.kind != HITLSession.Kind.HANDOFF:
        raise refusals.NotAllowed(_("The bot has this chat."), session=visit.session)


def _take_chat(visit: Visit) -> None:
    if visit.held_by_me:
        return renew(visit)
    visit.write(assignee=visit.person.id, claimed_until=visit.at + LEASE)
    visit.tell()


def _send(visit: Visit, kind: Event.Kind, payload: dict[str, Any], text: str | None = None) -> None:
    by = visit.person.name
    incoming = Incoming(kind, f"{kind}:{token_hex(16)}", {**payload, "by": by}, text=text, role="operator", author=by)
    accept(visit.session.conversation_id, incoming)
    wake(visit.session)


def _slot_values(session: HITLSession, values: Mapping[str, Any], manner: Manner) -> dict[str, Any]:
    """Each slot's stored value; raises InvalidValue that names every wrong one."""
    find, read = _finder(session), forms.reader_for(session, manner)
    taken: dict[str, Any] = {}
    wrong: list[WrongField] = []
    for name, given in values.items():
        slot = find(name)
        if slot is None:
            wrong.append(WrongField(name, "", "unknown_slot", _("No flow here has this slot."), forms.echo(given)))
            continue
        try:
            taken[name] = read(slot, given)
        except ValueRefused as refused:
            sentence = refused.sentence(get_language() or "en")
            wrong.append(WrongField(name, "", refused.rule, sentence, forms.echo(given)))
    if wrong:
        raise forms.wrong_values(session, wrong)
    return taken


def _finder(session: HITLSession) -> Callable[[str], Slot | None]:
    """What finds the slot of a name: the top flow's that has it, or the conversation's; `flow.slot` names it."""
    from dialogue.turns.dialogues import assistant_of  # the engine is loaded when a chat is worked on, not at start

    assistant = assistant_of(session.release)
    running = [entry["flow"] for entry in reversed(session.conversation.stack)]

    def found(name: str) -> Slot | None:
        wanted, _dot, own = name.rpartition(".")
        flows = [assistant.flows[flow] for flow in running if flow in assistant.flows and wanted in ("", flow)]
        slots = (flow.slots[own] for flow in flows if own in flow.slots)
        return next(slots, None if wanted else assistant.slots.get(own))

    return found
