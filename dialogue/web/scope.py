"""Permission as part of fetching: which conversations exist for whom. For sessions, `dialogue.desk.people` says it."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from dialogue.desk.people import DECIDE, SEE_EVERY_CHAT, TEST, Person, own_queues
from dialogue.models import Conversation, HITLSession


def visible_conversations(person: Person) -> QuerySet[Conversation]:
    """One's own, those with a gate in one's queues, all test ones for who tests, and all for who may see every one."""
    rows = Conversation.objects.select_related("user", "assistant", "release")
    if person.superuser or person.has(SEE_EVERY_CHAT):
        return rows
    scope = Q(user=person.id)
    if person.has(TEST):
        scope |= Q(test=True)
    if person.has(DECIDE):
        scope |= Q(Exists(_in_own_queues(person)))
    return rows.filter(scope)


def _in_own_queues(person: Person) -> QuerySet[HITLSession]:
    staff = HITLSession.objects.filter(conversation=OuterRef("pk"), audience=HITLSession.Audience.STAFF)
    return staff.filter(own_queues(person))
