"""A conversation with what its caller may do with it."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest
from django.utils.translation import gettext as _

from dialogue.desk.access.people import SIGNAL, TEST, Person
from dialogue.desk.access.redaction import has_insight, record_reading, redactor_for
from dialogue.desk.access.unmasking import shows_values
from dialogue.models import Conversation
from dialogue.models.account import Account
from dialogue.turns.accept import conversation_by_token
from dialogue.web.api.auth import is_only_chatting, person_or_401, visitor_of
from dialogue.web.api.problems import Problem, not_found
from dialogue.web.shared.scope import every_conversation, visible_conversations

CANCEL = "cancel_conversation"


@dataclass(frozen=True)
class ConversationAccess:
    """A conversation as its end user (`is_end_user`), a member of staff (`person`), or both may use it."""

    conversation: Conversation
    is_end_user: bool
    person: Person | None = None

    def for_writing(self) -> Conversation:
        """The conversation, for its end user. Raises the 403 of other callers."""
        if not self.is_end_user:
            raise _forbidden_problem(_("Only who chats here may write here."))
        return self.conversation

    def for_cancelling(self) -> Person:
        """The person, if they may cancel it; testers may cancel tests. Raises a 403."""
        person = self.person
        may_cancel_test = person is not None and person.has(TEST) and self.conversation.test
        if person is None or person.is_auditor or not (person.has(CANCEL) or may_cancel_test):
            raise _forbidden_problem(_("You are not allowed to cancel conversations."))
        return person

    def for_signalling(self) -> Person:
        """The program's person, if it may report events and begin flows. Raises a 403."""
        if self.person is None or self.person.is_auditor or not self.person.has(SIGNAL):
            raise _forbidden_problem(_("You are not allowed to report events to conversations."))
        return self.person

    def for_forking(self, user: object) -> Account:
        """The tester's account, for a test made of it. Raises a 403."""
        person = self.person
        may_test = person is not None and not person.is_auditor and (person.superuser or person.has(TEST))
        if not may_test or not isinstance(user, Account):
            raise _forbidden_problem(_("Tests are for who may test assistants."))
        return user

    def redactor(self) -> Callable[[str], str]:
        """The function that redacts the transcript's texts for this caller: auditors read masked values."""
        return redactor_for(self.person, self.conversation)

    @property
    def sees_sensitive_values(self) -> bool:
        """Whether this caller may see the values of sensitive slots now."""
        return self.person is not None and shows_values(self.person, self.conversation)

    @property
    def has_insight(self) -> bool:
        """Whether this caller sees stack, slots and gates: staff do, end users do not."""
        return has_insight(self.person, self.conversation)

    def for_unmasking(self) -> Person:
        """The person who shows or hides masked values; the desk checks their right. Raises a 403 without one."""
        if self.person is None:
            raise _forbidden_problem(_("You are not allowed to see masked values."))
        return self.person

    def for_insight(self) -> Conversation:
        """The conversation, for staff who may read its turns' records. Raises the 403 of end users."""
        if not self.has_insight:
            raise _forbidden_problem(_("The records of turns are for staff."))
        return self.conversation


def conversation_access(request: HttpRequest, name: str) -> ConversationAccess:
    """The conversation of this id and the caller's access. Raises a 404 for callers without access."""
    visitor = visitor_of(request)
    conversation_id = _uuid_or_404(name)
    if visitor.token:
        conversation = conversation_by_token(conversation_id, visitor.token)
        return ConversationAccess(conversation, is_end_user=True)
    person = person_or_401(visitor)
    if is_only_chatting(request):
        row = every_conversation().filter(pk=conversation_id, user=person.id).first()
        if row is None:
            raise not_found()
        return ConversationAccess(row, is_end_user=True)
    row = visible_conversations(person).filter(pk=conversation_id).first()
    if row is None:
        raise not_found()
    return ConversationAccess(row, row.user_id == person.id, person)


def read_access(request: HttpRequest, name: str) -> ConversationAccess:
    """The same, recording that the caller reads it where that has to be on record. Raises a 404."""
    access = conversation_access(request, name)
    if access.person is not None:
        record_reading(access.conversation, access.person, "api")
    return access


def _uuid_or_404(name: str) -> UUID:
    try:
        return UUID(name)
    except ValueError:
        raise not_found() from None


def _forbidden_problem(detail: str) -> Problem:
    return Problem(403, "not_allowed", detail)
