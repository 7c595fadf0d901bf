"""A conversation, fetched with what its caller may do with it: what you hold, you may touch."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest
from django.utils.translation import gettext as _

from dialogue.desk.access.people import TEST, Person
from dialogue.desk.access.redaction import has_insight, record_reading, redactor_for
from dialogue.desk.access.unmasking import shows_values
from dialogue.models import Conversation
from dialogue.models.account import Account
from dialogue.turns.accept import conversation_by_token
from dialogue.web.api.auth import person_or_401, visitor_of
from dialogue.web.api.problems import Problem, not_found
from dialogue.web.shared.scope import visible_conversations

CANCEL = "cancel_conversation"


@dataclass(frozen=True)
class ConversationAccess:
    """A conversation in the hands of its end user, or of somebody who works here (`person`), or both."""

    conversation: Conversation
    is_end_user: bool
    person: Person | None = None

    def for_writing(self) -> Conversation:
        """The conversation, for who chats in it. Raises the 403 of everybody else."""
        if not self.is_end_user:
            raise _forbidden_problem(_("Only who chats here may write here."))
        return self.conversation

    def for_cancelling(self) -> Person:
        """Who ends the conversation, if they may: whoever has the right, and testers what is a test."""
        person = self.person
        may_cancel_test = person is not None and person.has(TEST) and self.conversation.test
        if person is None or person.is_auditor or not (person.has(CANCEL) or may_cancel_test):
            raise _forbidden_problem(_("You are not allowed to cancel conversations."))
        return person

    def for_forking(self, user: object) -> Account:
        """Who makes a test of it, if they may: testers, of what they may see."""
        person = self.person
        may_test = person is not None and not person.is_auditor and (person.superuser or person.has(TEST))
        if not may_test or not isinstance(user, Account):
            raise _forbidden_problem(_("Tests are for who may test assistants."))
        return user

    def redactor(self) -> Callable[[str], str]:
        """What every text of the transcript goes through on its way to this caller: a mask, for who audits."""
        return redactor_for(self.person, self.conversation)

    @property
    def sees_sensitive_values(self) -> bool:
        """Whether this caller may see the values of sensitive slots now."""
        return self.person is not None and shows_values(self.person, self.conversation)

    @property
    def has_insight(self) -> bool:
        """Whether this caller is shown stack, slots and gates, as staff are and end users are not."""
        return has_insight(self.person, self.conversation)

    def for_unmasking(self) -> Person:
        """Who asks to see masked values, or to see them no longer; the desk knows whether they may."""
        if self.person is None:
            raise _forbidden_problem(_("You are not allowed to see masked values."))
        return self.person

    def for_insight(self) -> Conversation:
        """The conversation, for who may know why it said what it said: staff, never the end user."""
        if not self.has_insight:
            raise _forbidden_problem(_("The records of turns are for staff."))
        return self.conversation


def conversation_access(request: HttpRequest, name: str) -> ConversationAccess:
    """The conversation of this id, with its caller's hold on it; not found for everybody who has none."""
    visitor = visitor_of(request)
    conversation_id = _uuid_or_404(name)
    if visitor.token:
        conversation = conversation_by_token(conversation_id, visitor.token)
        return ConversationAccess(conversation, is_end_user=True)
    person = person_or_401(visitor)
    row = visible_conversations(person).filter(pk=conversation_id).first()
    if row is None:
        raise not_found()
    return ConversationAccess(row, row.user_id == person.id, person)


def read_access(request: HttpRequest, name: str) -> ConversationAccess:
    """The same for who reads it now: a look that is to be on record is put there."""
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
