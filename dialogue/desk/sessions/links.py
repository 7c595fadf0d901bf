"""Answer links: what a token opens, "I cannot decide this", and what supervisors do with links.

A link belongs to one session and one recipient. Decisions through a link run the same operations as all others.
"""

import hashlib
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from dialogue.desk.access.people import Caller, LinkClosed, read_link_holder
from dialogue.desk.forms.refusals import Refused
from dialogue.desk.sessions import transitions
from dialogue.desk.sessions.operation import Operation, Outcome, Request, run_operation
from dialogue.desk.sessions.transitions import Transition
from dialogue.models import AnswerLink, HITLSession, Notice

MAX_TOKEN_CHARACTERS = 100


class LinkNotFound(Refused):
    """The link does not exist, or is no longer valid."""

    status, code = 404, "not_found"


def hash_token(token: str) -> str:
    """Return the hash under which a token is stored."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def open_link(token: str) -> AnswerLink:
    """Return the link that a token opens. Raises LinkNotFound, with the same text for altered and revoked ones."""
    link = _links().filter(tokens__sha256=hash_token(token)).first() if len(token) <= MAX_TOKEN_CHARACTERS else None
    if link is None:
        raise _link_not_found()
    try:
        read_link_holder(link.pk)
    except LinkClosed:
        raise _link_not_found() from None
    return link


def reload_link(link: AnswerLink) -> AnswerLink:
    """Return the link with its current session."""
    return _links().get(pk=link.pk)


def caller_of_link(link: AnswerLink) -> Caller:
    """Return the caller that the link's holder is."""
    return Caller(link.user_id or 0, "link", link.pk)


def mark_undecided(link: AnswerLink) -> Outcome:
    """Record that this person cannot decide; the session and the link stay open. Raises as `claims.claim` does."""

    def record(operation: Operation) -> Outcome:
        operation.check_all()
        AnswerLink.objects.filter(pk=link.pk).update(undecided_at=operation.at)
        operation.publish({"link": link.pk})
        return Outcome(operation.session)

    return run_operation(Request(link.session_id, caller_of_link(link), transitions.UNDECIDED), record)


def resend_link(number: int, link: int, caller: Caller) -> Outcome:
    """Send the link once more, with a new token; for supervisors. Raises LinkNotFound, and what `check_all` raises."""

    def send(operation: Operation) -> Outcome:
        operation.check_all()
        row = _open_link_of(operation, link)
        Notice.objects.filter(link=row).exclude(state=Notice.State.SENT).update(state=Notice.State.VOID)
        Notice.objects.create(link=row, made_at=operation.at, due_at=operation.at)
        operation.publish({"link": link})
        return Outcome(operation.session)

    return _run_for_staff(number, caller, transitions.RESEND_LINK, send)


def revoke_link(number: int, link: int, caller: Caller) -> Outcome:
    """Revoke the link and all its tokens; for supervisors. Raises LinkNotFound, NotAllowed."""

    def close(operation: Operation) -> Outcome:
        operation.check_right()
        row = _open_link_of(operation, link)
        AnswerLink.objects.filter(pk=row.pk).update(revoked_at=operation.at)
        Notice.objects.filter(link=row, state=Notice.State.PENDING).update(state=Notice.State.VOID)
        operation.publish({"link": link})
        return Outcome(operation.session)

    return _run_for_staff(number, caller, transitions.REVOKE_LINK, close)


def links_of(session: HITLSession) -> list[dict[str, Any]]:
    """Return the session's links for staff.

    Each is {id, to, name, role, mail, attempts, error, sent_at, undecided_at, revoked_at}; `mail` is the state of the
    newest notice, times are ISO 8601 or None.
    """
    rows = session.links.select_related("role").prefetch_related("notices")
    return [_link_json(link, list(link.notices.all())) for link in rows]


def _links() -> QuerySet[AnswerLink]:
    session = ("session__conversation__assistant", "session__conversation__user", "session__release")
    return AnswerLink.objects.select_related(*session, "session__decided_by", "session__assignee", "role", "user")


def _run_for_staff(number: int, caller: Caller, transition: Transition, work: Any) -> Outcome:
    outcome: Outcome = run_operation(Request(number, caller, transition), work)
    return outcome


def _open_link_of(operation: Operation, link: int) -> AnswerLink:
    row = AnswerLink.objects.filter(pk=link, session=operation.session, revoked_at__isnull=True).first()
    if row is None:
        raise _link_not_found()
    return row


def _link_json(link: AnswerLink, notices: list[Notice]) -> dict[str, Any]:
    last = notices[-1] if notices else None
    return {
        "id": link.pk,
        "to": link.email,
        "name": link.name,
        "role": link.role.name if link.role else None,
        "mail": last.state if last else None,
        "attempts": last.attempts if last else 0,
        "error": last.error if last else "",
        "sent_at": last.sent_at.isoformat() if last and last.sent_at else None,
        "undecided_at": link.undecided_at.isoformat() if link.undecided_at else None,
        "revoked_at": link.revoked_at.isoformat() if link.revoked_at else None,
    }


def _link_not_found() -> LinkNotFound:
    return LinkNotFound(_("There is nothing here."))
