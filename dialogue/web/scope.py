"""Permission as part of fetching: which conversations exist for whom. For sessions, `dialogue.desk.people` says it."""

from collections.abc import Callable, Iterable

from django.db.models import Exists, OuterRef, Q, QuerySet

from dialogue.desk.people import DECIDE, SEE_EVERY_CHAT, TEST, UNMASK, Person, own_queues, tests_of
from dialogue.models import Conversation, HITLSession, Message


def visible_conversations(person: Person) -> QuerySet[Conversation]:
    """One's own, those with a gate in one's queues, all test ones for who tests, and all for who may see every one."""
    rows = Conversation.objects.select_related("user", "assistant", "release")
    if person.superuser or person.has(SEE_EVERY_CHAT):
        return rows
    scope = Q(user=person.id)
    if person.has(TEST):
        scope |= tests_of(person)
    if person.has(DECIDE):
        scope |= Q(Exists(_in_own_queues(person)))
    return rows.filter(scope)


def veil_for(person: Person | None, conversation: Conversation) -> Callable[[str], str]:
    """What a transcript's texts go through before this person reads them: who audits sees sensitive values masked."""
    if person is None or not person.checks_only or person.has(UNMASK):
        return lambda text: text
    from dialogue.turns.veil import veil_of  # the engine is loaded when a transcript is masked, not at start

    return veil_of(conversation)


def through_veil(lines: Iterable[Message], veil: Callable[[str], str]) -> list[Message]:
    """The lines as they are shown to who reads through this veil; nothing of it is saved."""
    shown = list(lines)
    for line in shown:
        line.text = veil(line.text)
        line.buttons = [{**button, "label": veil(str(button["label"]))} for button in line.buttons]
    return shown


def _in_own_queues(person: Person) -> QuerySet[HITLSession]:
    staff = HITLSession.objects.filter(conversation=OuterRef("pk"), audience=HITLSession.Audience.STAFF)
    return staff.filter(own_queues(person))
