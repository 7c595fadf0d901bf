"""Asking people outside: the links and the mails of a gate, written in the commit of the turn that opens it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import Group

from dialogue.audit.chain import Act
from dialogue.models import AnswerLink, Conversation, HITLSession, Notice
from dialogue.models.account import Account, email_field, email_of, full_name, open_accounts

REHEARSED = "scenario"
"""The channel of conversations that are played from a file; nobody is written to about them."""


@dataclass(frozen=True)
class Recipient:
    """Somebody who is asked: an address, the account behind it if there is one, and the role that was meant."""

    email: str
    user: Account | None = None
    role: Group | None = None


def invite_people(session: HITLSession, at: datetime) -> list[Act]:
    """Make a link and a mail for everybody in the session's channels; what the audit is told of it.

    `session.channels` are {"email": address} or {"role": group}. Tests and scenarios ask nobody.
    """
    return [] if _asks_nobody(session) else _create_links(session, unique_recipients(recipients_of(session)), at)


def invite_role(session: HITLSession, role: Group | None, at: datetime) -> list[Act]:
    """The same for the people of another role, once they may decide it too; who has a link already keeps that one."""
    if role is None or _asks_nobody(session):
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


def _asks_nobody(session: HITLSession) -> bool:
    """Whether this is no gate of mail, or only rehearsed."""
    return not session.channels or is_rehearsal(session.conversation)


def is_rehearsal(conversation: Conversation) -> bool:
    """Whether this is a test or a scenario, of which nobody outside hears."""
    return conversation.test or conversation.channel == REHEARSED


def recipients_of(session: HITLSession) -> Iterator[Recipient]:
    for channel in session.channels:
        if "email" in channel:
            yield Recipient(channel["email"], _account_of(channel["email"]))
        if "role" in channel:
            yield from members_of(Group.objects.get_or_create(name=channel["role"])[0])


def _account_of(email: str) -> Account | None:
    """The one account of this address; where several share it, it belongs to none of them."""
    field = email_field()
    rows = list(open_accounts().filter(**{f"{field}__iexact": email})[:2]) if field else []
    return rows[0] if len(rows) == 1 else None


def members_of(role: Group) -> Iterator[Recipient]:
    for user in open_accounts().filter(groups=role).order_by("pk"):
        if address := email_of(user):
            yield Recipient(address, user, role)


def unique_recipients(recipients: Iterable[Recipient]) -> list[Recipient]:
    """Nobody is asked twice; who is named by address stays asked when they leave the role."""
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
