"""Unmasking: show a conversation's sensitive values to one person for a while, with a recorded reason.

The permission alone shows nothing. A person sees what they may decide on without it; see `redaction`.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.conf import soni
from dialogue.desk.access.people import UNMASK, Person
from dialogue.desk.forms import refusals
from dialogue.models import Conversation, Unmasking
from dialogue.turns import clock
from dialogue.turns.accept import storable_value

UNMASKED = "conversation.unmasked"
MASKED = "conversation.masked"
MAX_REASON_CHARACTERS = 2_000


def shows_values(person: Person, conversation: Conversation) -> bool:
    """Whether this person may see the sensitive values of this conversation now. Pages, sockets and API ask here."""
    return unmasked_until(person, conversation) is not None


def unmasked_until(person: Person, conversation: Conversation) -> datetime | None:
    """Return until when the values are shown; None while they are masked. Without the permission, no query is made."""
    if not person.has(UNMASK):
        return None
    return _running_unmaskings(person, conversation).values_list("until", flat=True).first()


def unmask(conversation: Conversation, person: Person, reason: str, through: str) -> datetime:
    """Show the values to this person until the returned time; a second call starts the time again.

    Whether the person may know of the conversation is the caller's question. Raises NotAllowed, ReasonRequired and
    InvalidValue.
    """
    check_right(person)
    text: str = storable_value(reason.strip())
    if not text:
        raise refusals.ReasonRequired(_("Please give a reason."))
    if len(text) > MAX_REASON_CHARACTERS:
        raise refusals.InvalidValue(_("Write a reason of at most %s characters.") % f"{MAX_REASON_CHARACTERS:,}")
    detail, at = {"reason": text}, clock.now()
    until = at + soni.UNMASKED_FOR
    with transaction.atomic():
        facts = {"through": through, "until": until.isoformat()}
        _record_act(UNMASKED, conversation, person, facts, detail)
        unmasking = {**detail, "at": at, "until": until}
        Unmasking.objects.update_or_create(conversation=conversation, person_id=person.id, defaults=unmasking)
    return until


def mask(conversation: Conversation, person: Person, through: str) -> None:
    """Mask the values again; where they are masked already, nothing happens. Raises NotAllowed."""
    check_right(person)
    if not shows_values(person, conversation):
        return
    with transaction.atomic():
        _record_act(MASKED, conversation, person, {"through": through})
        _running_unmaskings(person, conversation).update(until=clock.now())


def check_right(person: Person) -> None:
    """Raise NotAllowed unless the person has the permission."""
    if not person.has(UNMASK):
        raise refusals.NotAllowed(_("You are not allowed to see masked values."))


def _running_unmaskings(person: Person, conversation: Conversation) -> QuerySet[Unmasking]:
    return Unmasking.objects.filter(conversation=conversation, person=person.id, until__gt=clock.now())


def _record_act(
    act: str, conversation: Conversation, person: Person, facts: dict[str, str], detail: dict[str, str] | None = None
) -> None:
    """Write the audit entry. It locks the conversation, which every transaction locks before its dependent rows."""
    entry = Act(act, person.name, person.account, f"conversation {conversation.pk}", facts, detail)
    chain.record(conversation.pk, [entry], clock.now())
