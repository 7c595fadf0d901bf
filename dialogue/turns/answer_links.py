"""Answer links: the links and mails that ask people outside the console, stored in the commit that opens the gate."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import Group

from dialogue.audit.chain import Act
from dialogue.models import AnswerLink, Conversation, HITLSession, Notice
from dialogue.models.account import Account, email_field, email_of, full_name, open_accounts

REHEARSED = "scenario"
"""The channel of conversations that are played from a scenario file; they send no mails."""


@dataclass(frozen=True)
class Recipient:
    """A person who is asked: the address, its account if there is one, and the role by which they are asked."""

    email: str
    user: Account | None = None
    role: Group | None = None


def invite_people(session: HITLSession, at: datetime) -> list[Act]:
    """Create a link and a mail for every person in the session's channels. Return the acts for the audit.

    `session.channels` are {"email": address} or {"role": group}. Tests and scenarios send no mails.
    """
    return [] if _sends_no_mail(session) else _create_links(session, unique_recipients(recipients_of(session)), at)


def invite_role(session: HITLSession, role: Group | None, at: datetime) -> list[Act]:
    """Invite the people of another role, who may now decide too. A person with a link keeps it and gets no second."""
    if role is None or _sends_no_mail(session):
        return []
    known_emails = {email.lower() for email in session.links.values_list("email", flat=True)}
    new_recipients = [
        recipient for recipient in unique_recipients(members_of(role)) if recipient.email.lower() not in known_emails
    ]
    return _create_links(session, new_recipients, at)


def _create_links(session: HITLSession, recipients: Sequence[Recipient], at: datetime) -> list[Act]:
    links = AnswerLink.objects.bulk_create(_new_link(session, recipient, at) for recipient in recipients)
    Notice.objects.bulk_create(Notice(link=link, made_at=at, due_at=at) for link in links)
    return [Act("link.made", "engine", None, session.name, {"link": link.pk}, {"to": link.email}) for link in links]


def _sends_no_mail(session: HITLSession) -> bool:
    """Whether the gate has no channels, or belongs to a test or a scenario."""
    return not session.channels or is_rehearsal(session.conversation)


def is_rehearsal(conversation: Conversation) -> bool:
    """Whether this is a test or a scenario, which sends nothing to people outside the console."""
    return conversation.test or conversation.channel == REHEARSED


def recipients_of(session: HITLSession) -> Iterator[Recipient]:
    """Yield the people of the session's channels; a person in several channels comes several times."""
    for channel in session.channels:
        if "email" in channel:
            yield Recipient(channel["email"], _account_of(channel["email"]))
        if "role" in channel:
            yield from members_of(Group.objects.get_or_create(name=channel["role"])[0])


def _account_of(email: str) -> Account | None:
    """Return the account of this address; None when several accounts share it, because a link has one."""
    field = email_field()
    rows = list(open_accounts().filter(**{f"{field}__iexact": email})[:2]) if field else []
    return rows[0] if len(rows) == 1 else None


def members_of(role: Group) -> Iterator[Recipient]:
    """Yield the open accounts of a role that have an address."""
    for user in open_accounts().filter(groups=role).order_by("pk"):
        if address := email_of(user):
            yield Recipient(address, user, role)


def unique_recipients(recipients: Iterable[Recipient]) -> list[Recipient]:
    """Return one recipient for each address; one without a role wins, who stays asked after leaving the role."""
    first: dict[str, Recipient] = {}
    for recipient in recipients:
        earlier = first.get(recipient.email.lower())
        if earlier is None or (earlier.role is not None and recipient.role is None):
            first[recipient.email.lower()] = recipient
    return list(first.values())


def _new_link(session: HITLSession, recipient: Recipient, at: datetime) -> AnswerLink:
    name = full_name(recipient.user) if recipient.user else ""
    return AnswerLink(
        session=session, email=recipient.email, name=name, user=recipient.user, role=recipient.role, made_at=at
    )
