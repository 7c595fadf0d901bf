"""Whether, and when, the business may write to a customer first: refusals, quiet hours, and chats that a person has."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Q

from dialogue.models import ContactRefusal, Conversation, HITLSession
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.waiting.reports import next_release

HANDED_OVER_PAUSE = timedelta(minutes=15)
"""After this time it is asked again whether a person still has the chat."""


def has_refused(conversation: Conversation) -> bool:
    """Whether the customer refuses to be written to first."""
    return ContactRefusal.objects.filter(_own_refusals(conversation)).exists()


def set_contact(conversation: Conversation, *, allowed: bool, at: datetime) -> None:
    """Store whether the customer may be written to first."""
    if allowed:
        ContactRefusal.objects.filter(_own_refusals(conversation)).delete()
    elif _is_verified(conversation):
        ContactRefusal.objects.get_or_create(
            assistant_id=conversation.assistant_id, user_ref=conversation.user_ref, defaults={"at": at}
        )
    else:
        ContactRefusal.objects.get_or_create(
            conversation=conversation, defaults={"assistant_id": conversation.assistant_id, "at": at}
        )


def _is_verified(conversation: Conversation) -> bool:
    # What a tester says in the place of a customer is not the customer's wish.
    return bool(conversation.user_ref) and conversation.vouched and not conversation.test


def _own_refusals(conversation: Conversation) -> Q:
    own = Q(conversation=conversation.pk)
    if _is_verified(conversation):
        own |= Q(assistant=conversation.assistant_id, user_ref=conversation.user_ref)
    return own


def postponed_until(conversation: Conversation, at: datetime) -> tuple[datetime, str]:
    """Return when the assistant may write first, `at` or later, and why later: quiet_hours, handed_over or ""."""
    if quiet_end := quiet_hours_end(conversation, at):
        return quiet_end, "quiet_hours"
    chats = HITLSession.objects.filter(conversation=conversation.pk, kind=HITLSession.Kind.HANDOFF)
    if chats.filter(HITLSession.undecided()).exists():
        return at + HANDED_OVER_PAUSE, "handed_over"
    return at, ""


def quiet_hours_end(conversation: Conversation, at: datetime) -> datetime | None:
    """Return when the assistant's quiet hours end in which `at` lies, or None."""
    assistant = assistant_of(next_release(conversation))
    quiet_hours = assistant.settings.quiet_hours
    return quiet_hours.end_after(at.astimezone(ZoneInfo(assistant.timezone))) if quiet_hours else None
