"""Permission as part of fetching: the conversations that a person may see. Sessions: `dialogue.desk.access.people`."""

from functools import reduce
from operator import or_

from django.db.models import Exists, OuterRef, Q, QuerySet

from dialogue.desk.access.people import DECIDE, SEE_EVERY_CHAT, TEST, Person, own_queues, visible_tests
from dialogue.models import Conversation, HITLSession


def visible_conversations(person: Person) -> QuerySet[Conversation]:
    """One's own, real ones with a gate in one's queues, tests for who tests, and all for who may see every one."""
    return every_conversation().filter(reduce(or_, conversation_parts(person)))


def may_see_tests(person: Person) -> bool:
    """Whether tests of authors are among the conversations that this person may see."""
    return person.superuser or person.has(SEE_EVERY_CHAT) or person.has(TEST)


def every_conversation() -> QuerySet[Conversation]:
    """All conversations, with what lists and pages show of each. For a person, ask `visible_conversations`."""
    return Conversation.objects.select_related("user", "assistant", "release")


def conversation_parts(person: Person) -> list[Q]:
    """`visible_conversations` in parts: joined by "or", a database looks at every session before the first row."""
    if person.superuser or person.has(SEE_EVERY_CHAT):
        return [Q()]
    parts = [Q(user=person.id)]
    if person.has(TEST):
        parts.append(visible_tests(person))
    if person.has(DECIDE):
        staff = HITLSession.objects.filter(conversation=OuterRef("pk"), audience=HITLSession.Audience.STAFF)
        parts.append(Q(Exists(staff.filter(own_queues(person))), test=False))
    return parts
