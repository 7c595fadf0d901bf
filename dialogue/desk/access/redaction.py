"""Who sees what in full, and the record of it. Elsewhere sensitive values stand behind their mask.

Who may decide a gate sees its values on the gate's card as they are: nobody should approve what they cannot read. Each
such look is on record, once for a person and a version; looking again writes nothing.
"""

from collections.abc import Callable, Sequence

from django.db import transaction

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import DECIDE, SEE_EVERY_CHAT, TEST, Person, Right
from dialogue.desk.access.unmasking import shows_values
from dialogue.desk.forms.forms import fields_of
from dialogue.models import Conversation, FullLook, HITLSession, Message
from dialogue.turns import clock

SEEN_IN_FULL = "session.seen_in_full"
CONVERSATION_READ = "conversation.looked"


def shows_in_full(session: HITLSession, person: Person) -> bool:
    """Whether this person is shown the values in full; when there is something to hide, the look is on record."""
    full = sees_in_full(session, person)
    if full and _hides_something(session):
        _record_full_view(session, person)
    return full


def sees_in_full(session: HITLSession, person: Person) -> bool:
    """Who may decide, while there is something to decide, and who said why they have to see them.

    A link alone may be open on any screen: it shows the mask.
    """
    decides = (
        session.state in HITLSession.UNDECIDED and person.only_session is None and person.may(Right.DECIDE, session)
    )
    return decides or shows_values(person, session.conversation)


def has_insight(person: Person | None, conversation: Conversation) -> bool:
    """Whether this person may know why a conversation went as it did: staff, and testers of tests; no end user."""
    if person is None:
        return False
    works_here = person.superuser or person.has(DECIDE) or person.has(SEE_EVERY_CHAT)
    return works_here or (person.has(TEST) and conversation.test)


def redactor_for(person: Person | None, conversation: Conversation) -> Callable[[str], str]:
    """What texts go through before this person reads them: who audits sees sensitive values masked."""
    if person is None or not person.is_auditor or shows_values(person, conversation):
        return lambda text: text
    from dialogue.turns.live.redaction import redactor_of  # the engine is loaded when something is masked, not at start

    return redactor_of(conversation)


def redact_lines(lines: Sequence[Message]) -> None:
    """Mask the sensitive values in lines of whichever conversations, as lists show them; nothing of it is saved."""
    from dialogue.turns.live.redaction import (
        redactors_of,  # the engine is loaded when something is masked, not at start
    )

    redactors = redactors_of(line.conversation for line in lines)
    for line in lines:
        line.text = redactors[line.conversation_id](line.text)


def record_reading(conversation: Conversation, person: Person, through: str) -> None:
    """Whoever reads conversations only because they administer this installation leaves a line each time."""
    if person.superuser and not person.has(SEE_EVERY_CHAT) and conversation.user_id != person.id:
        with transaction.atomic():
            act = Act(
                CONVERSATION_READ, person.name, person.account, f"conversation {conversation.pk}", {"through": through}
            )
            chain.record(conversation.pk, [act], clock.now())


def _hides_something(session: HITLSession) -> bool:
    if any(entry.get("sensitive") for entry in session.shown):
        return True
    frames = (entry["slots"] for entry in session.conversation.stack if entry.get("frame") == session.frame)
    if any(slot.get("sensitive") for slots in frames for slot in slots.values()):
        return True
    return any(field.slot.sensitive for field in fields_of(session))


def _record_full_view(session: HITLSession, person: Person) -> None:
    """One read for a look that is on record already. Of two at once, the one whose row counts writes the entry."""
    earlier_views = FullLook.objects.filter(session=session, by_id=person.id)
    if earlier_views.filter(version__gte=session.version).exists():
        return
    with transaction.atomic():
        view = {"version": session.version}
        _row, first = FullLook.objects.get_or_create(session=session, by_id=person.id, defaults=view)
        if first or earlier_views.filter(version__lt=session.version).update(**view):
            act = Act(SEEN_IN_FULL, person.name, person.account, session.name, view)
            chain.record(session.conversation_id, [act], clock.now())
