"""People who use the desk, and their rights.

Each operation reads the rights from the database. Only granted rights count: Django's `has_perm` gives superusers
every right, and would let a superuser decide without being an operator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import reduce
from operator import or_

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db.models import Q, QuerySet, Value

from dialogue.models import AnswerLink, Conversation, HITLSession, Trial
from dialogue.models.account import Account, display_name, open_accounts

DECIDE = "decide_hitlsession"
SUPERVISE = "supervise_hitlsession"
SEE_EVERY = "view_every_hitlsession"
SEE_EVERY_CHAT = "view_every_conversation"
EXPORT = "export_auditentry"
TEST = "test_assistant"
UNMASK = "unmask_conversation"
VOUCH = "vouch_conversation"
SIGNAL = "signal_conversation"
ASK = "ask_agentrequest"


class Right(Enum):
    """The right that a transition needs: decide a gate, supervise gates, or retry and abandon deliveries."""

    DECIDE = auto()
    SUPERVISE = auto()
    DELIVER = auto()


class AccountClosed(Exception):
    """The account was deleted or disabled."""


class LinkClosed(AccountClosed):
    """The link was revoked, or its holder may no longer decide."""


@dataclass(frozen=True)
class Caller:
    """The authenticated caller and the channel they used: page, bar, api, mcp, terminal, link or scenario.

    `link` is the answer link of a caller from outside; `user` is 0 for one without an account. `token` is the name of
    the API token with which an assistant acts for the person; empty for others.
    """

    user: int
    through: str
    link: int | None = None
    token: str = ""


@dataclass(frozen=True)
class Person:
    """A person and their rights as they are now; `only_session` is the session that an answer link opens.

    `groups` are the numbers of the person's groups, `group_names` their names in order.
    """

    id: int
    name: str
    rights: frozenset[str]
    groups: frozenset[int]
    superuser: bool = False
    only_session: int | None = None
    group_names: tuple[str, ...] = ()

    @property
    def account(self) -> int | None:
        """The account's id; None for a link holder without an account."""
        return self.id or None

    def has(self, right: str) -> bool:
        """Whether the person was granted this permission, by its codename."""
        return right in self.rights

    @property
    def sees_accounts(self) -> bool:
        """Whether the person was granted Django's permission to view or change accounts."""
        name = get_user_model()._meta.model_name
        return self.superuser or self.has(f"view_{name}") or self.has(f"change_{name}")

    @property
    def is_auditor(self) -> bool:
        """Whether the person may export the audit trail; such a person may not add to it by deciding."""
        return self.has(EXPORT)

    @property
    def searches_titles(self) -> bool:
        """Whether a search may read stored titles; for others it would reveal the masked values in them."""
        return self.has(DECIDE) and not self.is_auditor

    @property
    def sees_every_session(self) -> bool:
        """Whether the person may see the sessions of all queues."""
        return self.superuser or self.has(SEE_EVERY)

    def may(self, right: Right, session: HITLSession) -> bool:
        """Whether this right covers this session."""
        if self.is_auditor or session.audience != HITLSession.Audience.STAFF:
            return False
        if self.only_session is not None:
            return right is Right.DECIDE and session.pk == self.only_session
        match right:
            case Right.DECIDE:
                return self._may_decide(session) or self._may_test(session)
            case Right.SUPERVISE:
                return self.has(SUPERVISE)
            case Right.DELIVER:
                return self.has(SUPERVISE) or self._may_test(session)

    def _may_decide(self, session: HITLSession) -> bool:
        if not self.has(DECIDE):
            return False
        return self.has(SUPERVISE) or (self.has_queue(session) and self.works_on(session.conversation))

    def works_on(self, conversation: Conversation) -> bool:
        """Whether gates of this conversation are work for this person; those of other people's tests are not."""
        return not conversation.test or conversation.user_id == self.id

    def has_queue(self, session: HITLSession) -> bool:
        """Whether the session has no queue, is in one of theirs, or was escalated to them; `own_queues` is the SQL."""
        escalated = session.escalated_at is not None and session.escalates_to_id in self.groups
        return session.group_id is None or session.group_id in self.groups or escalated

    def _may_test(self, session: HITLSession) -> bool:
        return _is_visible_test(self, session.conversation)


def read_person(user: int) -> Person:
    """Return the person with their current rights. Raises AccountClosed."""
    row = open_accounts().filter(pk=user).first()
    if row is None:
        raise AccountClosed(user)
    return person_of_account(row)


def person_of_account(row: Account) -> Person:
    """Return the person of an open account that was just read."""
    # One query for the rights and the groups: this runs at every request and operation.
    own_models = Q(content_type__app_label="dialogue") | _on_accounts()
    permissions = Permission.objects.filter(own_models, Q(group__user=row) | Q(user=row))
    rights_and_groups = permissions.order_by().values_list("codename", Value(0))
    rows = list(rights_and_groups.union(row.groups.order_by().values_list("name", "pk")))
    groups = {number: name for name, number in rows if number}
    rights = frozenset(codename for codename, number in rows if not number)
    names = tuple(sorted(groups.values()))
    return Person(row.pk, display_name(row), rights, frozenset(groups), row.is_superuser, group_names=names)


def _on_accounts() -> Q:
    """The permissions on the project's user model."""
    options = get_user_model()._meta
    return Q(content_type__app_label=options.app_label, content_type__model=options.model_name)


def read_caller(caller: Caller) -> Person:
    """Return the caller as a person with their current rights. Raises AccountClosed."""
    return read_person(caller.user) if caller.link is None else read_link_holder(caller.link)


def read_link_holder(link: int) -> Person:
    """Return the holder of this link, who may decide its session and nothing else. Raises LinkClosed."""
    row = AnswerLink.objects.filter(pk=link, revoked_at__isnull=True).first()
    if row is None:
        raise LinkClosed(link)
    if row.user_id is not None:
        # A link gives no right that its holder has lost: by closing the account, leaving the role or becoming auditor.
        try:
            person = read_person(row.user_id)
        except AccountClosed:
            raise LinkClosed(row.pk) from None
        if person.is_auditor or (row.role_id is not None and row.role_id not in person.groups):
            raise LinkClosed(row.pk)
    return Person(row.user_id or 0, row.who, frozenset(), frozenset(), only_session=row.session_id)


def visible_sessions(person: Person) -> QuerySet[HITLSession]:
    """Return the sessions that this person may know of; callers treat all others as not existing."""
    rows = every_session()
    if person.only_session is not None:
        return rows.filter(pk=person.only_session)
    return rows if person.sees_every_session else rows.filter(_visible_to(person))


def every_session() -> QuerySet[HITLSession]:
    """Return all sessions with the rows that lists show of each. For a person's sessions, use `visible_sessions`."""
    rows = HITLSession.objects.select_related("conversation__user", "assignee", "decided_by", "group", "release")
    return rows.prefetch_related("tags")


def own_queues(person: Person) -> Q:
    """The sessions without a queue, those of this person's groups, and those escalated to one of these groups."""
    escalated = Q(escalated_at__isnull=False, escalates_to__in=person.groups)
    return Q(group__isnull=True) | Q(group__in=person.groups) | escalated


def own_queue_parts(person: Person, *, per_group: bool = True) -> list[Q]:
    """`own_queues` in parts that share no session, each of which one index has in the order of urgency.

    Who only counts needs no order, and takes the queues of all groups together, not each.
    """
    groups = sorted(person.groups)
    if not groups:
        return [Q(group__isnull=True)]
    group_parts = [Q(group=group) for group in groups] if per_group else [Q(group__in=groups)]
    return [Q(group__isnull=True), *group_parts, *_escalated_parts(groups, per_group=per_group)]


def _escalated_parts(groups: Sequence[int], *, per_group: bool = True) -> list[Q]:
    """What came to these groups from the queues of others."""
    elsewhere = Q(group__isnull=False) & ~Q(group__in=groups) & Q(escalated_at__isnull=False)
    escalated = [Q(escalates_to=group) for group in groups] if per_group else [Q(escalates_to__in=groups)]
    return [part & elsewhere for part in escalated]


def staff_parts(person: Person, *, per_group: bool = True) -> list[Q]:
    """The staff sessions that this person may know of, tests aside, in such parts."""
    if person.sees_every_session:
        return [Q()]
    return own_queue_parts(person, per_group=per_group) if person.has(DECIDE) else []


def work_parts(person: Person, *, per_group: bool = True) -> list[Q]:
    """The sessions that wait for this person, in such parts: those of their queues, for supervisors all."""
    return [Q()] if _supervises_every_queue(person) else own_queue_parts(person, per_group=per_group)


def work_condition(person: Person) -> Q:
    """`work_parts` as one condition."""
    return Q() if _supervises_every_queue(person) else own_queues(person)


def _supervises_every_queue(person: Person) -> bool:
    return person.has(SUPERVISE) and person.sees_every_session


def queue_parts(person: Person, group: int) -> list[Q]:
    """The staff sessions of one group's queue that this person may know of, tests aside, in such parts."""
    if person.sees_every_session:
        return [Q(group=group)]
    if not person.has(DECIDE):
        return []
    if group in person.groups:
        return [Q(group=group)]
    escalated = HITLSession.objects.filter(
        reduce(or_, _escalated_parts(sorted(person.groups), per_group=False), _NOTHING)
    )
    return [Q(group=group, pk__in=escalated.values("pk"))]


_NOTHING = Q(pk__in=())


def may_see(person: Person, session: HITLSession) -> bool:
    """Whether `visible_sessions` has this row for this person, for one that was read for many at once."""
    if person.only_session is not None:
        return session.pk == person.only_session
    return person.sees_every_session or _in_scope(person, session)


def _in_scope(person: Person, session: HITLSession) -> bool:
    conversation = session.conversation
    if conversation.test:
        return conversation.user_id == person.id or _is_visible_test(person, conversation)
    staff = session.audience == HITLSession.Audience.STAFF
    return staff and person.has(DECIDE) and person.has_queue(session)


def _is_visible_test(person: Person, conversation: Conversation) -> bool:
    """`visible_tests` for a row."""
    if not (conversation.test and person.has(TEST)):
        return False
    trial: Trial | None = getattr(conversation, "trial", None)
    return trial is None or not trial.private or trial.owner_id == person.id


def visible_tests(person: Person, prefix: str = "") -> Q:
    """The test conversations that a tester may know of; one that holds a real person's words is its owner's alone."""
    shared = Q(**{f"{prefix}trial__isnull": True}) | Q(**{f"{prefix}trial__private": False})
    return Q(**{f"{prefix}test": True}) & (shared | Q(**{f"{prefix}trial__owner": person.id}))


def _visible_to(person: Person) -> Q:
    scope = Q(conversation__test=True, conversation__user=person.id)
    if person.has(DECIDE):
        scope |= Q(audience=HITLSession.Audience.STAFF, conversation__test=False) & own_queues(person)
    if person.has(TEST):
        scope |= visible_tests(person, "conversation__")
    return scope
