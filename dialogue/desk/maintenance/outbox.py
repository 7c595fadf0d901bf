"""The outbox: mails are stored as rows in the commit that they report, and sent afterwards, at least once each.

A worker claims a row by one conditional update, which also sets the time of the next attempt if the process dies. The
mail is sent outside of transactions. Each attempt makes a new token, of which only the hash is stored.
"""

import logging
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.conf import soni
from dialogue.desk.forms.choices import label_of_handle
from dialogue.desk.forms.deadlines import absolute_words, deadline_passed, language_of_mailbox, zone_of_mailbox
from dialogue.desk.sessions.links import hash_token
from dialogue.desk.sessions.operation import publish_inbox_event
from dialogue.models import AnswerLink, HITLSession, LinkToken, Notice
from dialogue.turns import clock
from dialogue.turns.live.titles import listed_title_for_reader
from dialogue.turns.live.values_at_stake import authors_summary
from dialogue.turns.process.crash_points import crash_point

log = logging.getLogger(__name__)

BACKOFF = (timedelta(seconds=30), timedelta(minutes=5))
"""The time from the first and the second failed attempt to the next one."""

MAX_ATTEMPTS = len(BACKOFF) + 1
SEND_LEASE = timedelta(minutes=2)
"""How long sending a mail may take. After that the worker counts as dead, and another one may try."""


@dataclass(frozen=True)
class ClaimedNotice:
    """A mail that this process has claimed, and the token in it."""

    notice: Notice
    token: str


def deliver_due(limit: int = 20) -> int:
    """Send the mails that are due, oldest first; return the number sent."""
    due = Notice.objects.filter(state=Notice.State.PENDING, due_at__lte=clock.sql_now())
    numbers = list(due.order_by("due_at", "pk").values_list("pk", flat=True)[:limit])
    return sum(_deliver_notice(number) for number in numbers)


def _deliver_notice(number: int) -> bool:
    claimed_notice = _claim_notice(number)
    if claimed_notice is None:
        return False
    crash_point("B3")
    try:
        _send_mail(claimed_notice)
    except Exception as error:  # whatever a mail server or its library raises, the other mails go on
        log.warning("mail %s was not taken", claimed_notice.notice.uid, exc_info=error)
        _mark_failed(claimed_notice.notice, f"{type(error).__name__}: {error}")
        return False
    crash_point("B3s")
    _mark_sent(claimed_notice.notice)
    return True


@transaction.atomic
def _claim_notice(number: int) -> ClaimedNotice | None:
    """Claim the mail; None if another worker has it, its attempts are used up, or it is not needed any more."""
    rows = Notice.objects.select_related("link__session__conversation__assistant", "link__session__release")
    notice = rows.get(pk=number)
    if _is_void(notice.link):
        _unclaimed_row(notice).update(state=Notice.State.VOID)
        return None
    if notice.attempts >= MAX_ATTEMPTS:
        _give_up(notice, "the process ended in each attempt")
        return None
    if _unclaimed_row(notice).update(attempts=notice.attempts + 1, due_at=clock.now() + SEND_LEASE) != 1:
        return None
    notice.attempts += 1
    token = secrets.token_urlsafe(32)
    LinkToken.objects.create(link=notice.link, sha256=hash_token(token), made_at=clock.now())
    return ClaimedNotice(notice, token)


def _unclaimed_row(notice: Notice) -> QuerySet[Notice]:
    """The row, as long as no other worker has claimed it since it was read."""
    rows = Notice.objects.filter(pk=notice.pk, state=Notice.State.PENDING, attempts=notice.attempts)
    return rows.filter(due_at__lte=clock.sql_now())


def _is_void(link: AnswerLink) -> bool:
    return (
        link.revoked_at is not None
        or link.session.state in HITLSession.FINAL
        or deadline_passed(link.session, clock.now())
    )


def _send_mail(claimed_notice: ClaimedNotice) -> None:
    link = claimed_notice.notice.link
    zone = zone_of_mailbox(link.email)
    with translation.override(
        language_of_mailbox(link.email) or link.session.conversation.language or settings.LANGUAGE_CODE
    ):
        summary = authors_summary(link.session)
        subject = " ".join(": ".join(filter(None, (listed_title_for_reader(link.session), summary))).split())
        token = claimed_notice.token
        session = link.session
        body = render_to_string(
            "dialogue/answer/mail.txt",
            {
                "link": link,
                "session": session,
                "title": listed_title_for_reader(session),
                "summary": summary,
                "escalated": link.role_id is not None
                and session.escalated_at
                and link.role_id == session.escalates_to_id,
                "asker": session.conversation.assistant.title,
                "asked": absolute_words(session.opened_at, session, zone),
                "expiry": label_of_handle(session, session.on_timeout) if session.on_timeout else "",
                "deadline": absolute_words(session.expires_at, session, zone),
                "url": soni.root_url + reverse("dialogue:answer", args=[token]),
            },
        )
    sender = settings.DEFAULT_FROM_EMAIL
    headers = {"Message-ID": f"<{claimed_notice.notice.uid}@{sender.rpartition('@')[2].strip('<> ')}>"}
    EmailMessage(subject, body, sender, [link.email], headers=headers).send()


@transaction.atomic
def _mark_sent(notice: Notice) -> None:
    at = clock.now()
    Notice.objects.filter(pk=notice.pk).update(state=Notice.State.SENT, sent_at=at, error="")
    _record_act("link.sent", notice)


@transaction.atomic
def _mark_failed(notice: Notice, error: str) -> None:
    if notice.attempts >= MAX_ATTEMPTS:
        return _give_up(notice, error)
    due = clock.now() + BACKOFF[notice.attempts - 1]
    Notice.objects.filter(pk=notice.pk, state=Notice.State.PENDING).update(error=error[:2000], due_at=due)
    return None


def _give_up(notice: Notice, error: str) -> None:
    """Make the mail an incident after the last attempt; at the gate a supervisor can send the link again."""
    Notice.objects.filter(pk=notice.pk).update(state=Notice.State.INCIDENT, error=error[:2000])
    _record_act("link.incident", notice)
    publish_inbox_event(notice.link.session, "changed", clock.now())


def _record_act(act: str, notice: Notice) -> None:
    session = notice.link.session
    facts = {"link": notice.link_id, "attempt": notice.attempts}
    chain.record(session.conversation_id, [Act(act, "clock", None, session.name, facts)], clock.now())
