"""Redaction for readers: who sees sensitive values in full, and the audit entries for it.

A person who may decide a gate sees its values in full on the gate's page, because a decision about hidden values is
worth nothing. The first full view of each version by each person is in the audit trail.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from django.db import transaction

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import DECIDE, SEE_EVERY_CHAT, TEST, Person, Right
from dialogue.desk.access.unmasking import shows_values
from dialogue.desk.forms.action_preview import display_value
from dialogue.desk.forms.forms import fields_of
from dialogue.models import Conversation, FullLook, HITLSession, Message
from dialogue.turns import clock
from dialogue.turns.live.serializers import redactor_for_values, sensitive_texts

SEEN_IN_FULL = "session.seen_in_full"
CONVERSATION_READ = "conversation.looked"


def shows_in_full(session: HITLSession, person: Person) -> bool:
    """Whether this person is shown the values in full. Records the view if a sensitive value is among them."""
    full = sees_in_full(session, person)
    if full and _hides_something(session):
        _record_full_view(session, person)
    return full


def sees_in_full(session: HITLSession, person: Person) -> bool:
    """Whether this person may decide the undecided session, or has unmasked its conversation.

    An answer link alone shows masked values: the page may be open on any screen.
    """
    return may_decide_now(session, person) or shows_values(person, session.conversation)


def may_decide_now(session: HITLSession, person: Person) -> bool:
    """Whether this person may decide the undecided session, and not by an answer link alone."""
    is_undecided = session.state in HITLSession.UNDECIDED and person.only_session is None
    return is_undecided and person.may(Right.DECIDE, session)


def has_insight(person: Person | None, conversation: Conversation) -> bool:
    """Whether this person may see why the assistant answered as it did: staff, and testers in test conversations."""
    if person is None:
        return False
    works_here = person.superuser or person.has(DECIDE) or person.has(SEE_EVERY_CHAT)
    return works_here or (person.has(TEST) and conversation.test)


def redactor_for(person: Person | None, conversation: Conversation) -> Callable[[str], str]:
    """Return the function that redacts texts of this conversation for this person; auditors see masked values."""
    if person is None or not person.is_auditor or shows_values(person, conversation):
        return lambda text: text
    from dialogue.turns.live.redaction import redactor_of  # the engine is loaded when something is masked, not at start

    return redactor_of(conversation)


def redactor_at_gate(session: HITLSession, *, in_full: bool) -> Callable[[str], str]:
    """Return the redactor of the lines above a gate for who sees its card `in_full` or masked; see `sees_in_full`.

    The card's values have the card's mask, which may show their end.
    """
    if in_full:
        return lambda text: text
    from dialogue.turns.live.redaction import redactor_of  # the engine is loaded when something is masked, not at start

    at_stake = [entry for entry in session.shown if entry.get("sensitive")]
    as_on_card = [
        redactor_for_values(sensitive_texts([entry]), display_value(entry, unmasked=False)) for entry in at_stake
    ]
    redactors = [*as_on_card, redactor_of(session.conversation)]
    return lambda text: reduce(lambda masked, redact: redact(masked), redactors, text)


def redactor_beside(conversation: Conversation, person: Person | None, gate: str) -> Callable[[str], str]:
    """As `redactor_at_gate` if `gate` is the number of a gate of this conversation, else as `redactor_for`."""
    is_number = gate.isascii() and gate.isdigit() and len(gate) < 10
    session = HITLSession.objects.filter(conversation=conversation, pk=int(gate)).first() if is_number else None
    if person is None or session is None:
        return redactor_for(person, conversation)
    session.conversation = conversation
    return redactor_at_gate(session, in_full=sees_in_full(session, person))


def redact_lines(lines: Sequence[Message]) -> None:
    """Mask the sensitive values in these lines, which may be of several conversations. The lines are not saved."""
    from dialogue.turns.live.redaction import (
        redactors_of,  # the engine is loaded when something is masked, not at start
    )

    redactors = redactors_of(line.conversation for line in lines)
    for line in lines:
        line.text = redactors[line.conversation_id](line.text)


def record_reading(conversation: Conversation, person: Person, through: str) -> None:
    """Write an audit entry if the person may read this conversation only because they administer the installation."""
    if person.superuser and not person.has(SEE_EVERY_CHAT) and conversation.user_id != person.id:
        with transaction.atomic():
            act = Act(
                CONVERSATION_READ, person.name, person.account, f"conversation {conversation.pk}", {"through": through}
            )
            chain.record(conversation.pk, [act], clock.now())


def _hides_something(session: HITLSession) -> bool:
    if any(map(_hides_value, session.shown)):
        return True
    frames = (entry["slots"] for entry in session.conversation.stack if entry.get("frame") == session.frame)
    if any(_hides_value(slot) for slots in frames for slot in slots.values()):
        return True
    return any(field.slot.hides_values for field in fields_of(session))


def _hides_value(stored: dict[str, Any]) -> bool:
    return bool(stored.get("sensitive") or stored.get("masked"))


def _record_full_view(session: HITLSession, person: Person) -> None:
    """Record the first full view of this version; a repeated view costs one query."""
    earlier_views = FullLook.objects.filter(session=session, by_id=person.id)
    if earlier_views.filter(version__gte=session.version).exists():
        return
    with transaction.atomic():
        view = {"version": session.version}
        _row, first = FullLook.objects.get_or_create(session=session, by_id=person.id, defaults=view)
        if first or earlier_views.filter(version__lt=session.version).update(**view):
            act = Act(SEEN_IN_FULL, person.name, person.account, session.name, view)
            chain.record(session.conversation_id, [act], clock.now())
