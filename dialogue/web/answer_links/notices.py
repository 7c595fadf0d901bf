"""What the page of an answer link says instead of the form: what happened, what follows, and what was kept."""

from dataclasses import dataclass
from functools import partial

from django.utils.translation import gettext as _

from dialogue.desk.access.people import read_link_holder
from dialogue.desk.forms.deadlines import absolute_words, deadline_passed
from dialogue.desk.forms.overtaking import overtaking_of
from dialogue.desk.forms.refusals import Refused, already_submitted, gate_cancelled, gate_expired
from dialogue.models import AnswerLink, HITLSession
from dialogue.turns import clock
from dialogue.web.gates.page import GatePage, gate_page
from dialogue.web.gates.rows import Outcome, outcome_of

State, Delivery = HITLSession.State, HITLSession.Delivery


@dataclass(frozen=True)
class Notice:
    """A page that only says something: `text` is what happened, `follows` what happens next, `kept` what was stored.

    `outcome` is how the gate ended, None while it is open; `answer` and `reason` are what this person sent. The
    question can be answered `again` where nothing was decided.
    """

    status: int
    heading: str
    text: str
    follows: tuple[str, ...]
    kept: str
    outcome: Outcome | None = None
    answer: str = ""
    reason: str = ""
    again: bool = False


def ending_notice(link: AnswerLink, *, answered: bool = False) -> Notice | None:
    """Return how the session ended, with who and when; None while it can be answered.

    `answered` says that this request brought an answer, which came too late.
    """
    session = link.session
    match State(session.state):
        case State.SUBMITTED:
            return _own_notice(link) if _is_own(link) and not answered else _decided_notice(link, answered=answered)
        case State.CANCELLED:
            return _withdrawn_notice(session, answered=answered)
        case State.EXPIRED:
            return _expiry_notice(session, answered=answered)
        case State.OPEN | State.CLAIMED:
            return _expiry_notice(session, answered=answered) if deadline_passed(session, clock.now()) else None


def thank_you_notice(link: AnswerLink, status: int, action: str) -> Notice:
    """Return the thanks for an answer that was taken; status 202: a second person has to agree first."""
    if status != 202:
        return _own_notice(link, status)
    option = next((option for option in _gate_page(link).options if option.id == action), None)
    return Notice(
        status,
        _("Thank you"),
        _("Your answer was taken. A second person has to agree before it counts."),
        (
            _("The question waits for the second person. Nothing is carried out before that."),
            _("Nothing more is needed from you. You can close this page."),
        ),
        _("your name, your answer, your reason and the time. Your answer cannot be changed."),
        answer=option.label if option else "",
    )


def undecided_notice(session: HITLSession) -> Notice:
    """Return the thanks for "I cannot decide this"."""
    deadline = absolute_words(session.expires_at, session)
    return Notice(
        200,
        _("Thank you"),
        _("We noted that you cannot decide this. The question stays open, and you can still answer it."),
        (
            _("The people who look after this request see that. Others who were asked can still answer."),
            _("If you can decide it later, use the same link until %s.") % deadline
            if deadline
            else _("If you can decide it later, use the same link."),
        ),
        _("your name, that you cannot decide this, and the time. Nothing was decided."),
        again=True,
    )


def _own_notice(link: AnswerLink, status: int | None = None) -> Notice:
    """Return what this person decided: right after the answer with its `status`, later as the refusal of another."""
    session, page = link.session, _gate_page(link)
    refusal = already_submitted(session, partial(absolute_words, session=session))
    return Notice(
        status or refusal.status,
        _("Thank you") if status else _("You have answered this"),
        _("Your answer was taken: %s") % _sentence(refusal),
        (*_after_decision(session, page), _("Nothing more is needed from you. You can close this page.")),
        _("your name, your answer, your reason and the time. Your answer cannot be changed."),
        outcome_of(session),
        reason=page.reason,
    )


def _decided_notice(link: AnswerLink, *, answered: bool) -> Notice:
    session = link.session
    refusal = already_submitted(session, partial(absolute_words, session=session))
    return Notice(
        refusal.status,
        _("This has been answered"),
        _sentence(refusal),
        (*_after_decision(session), _nothing_needed()),
        _late_answer(answered=answered),
        outcome_of(session),
    )


def _withdrawn_notice(session: HITLSession, *, answered: bool) -> Notice:
    refusal = gate_cancelled(session, partial(absolute_words, session=session))
    return Notice(
        refusal.status,
        _("This is not needed any more"),
        _sentence(refusal),
        (
            _("The request was withdrawn, so there is nothing to decide."),
            _("Nothing is needed from you. If it is asked again, you get a new mail with a new link."),
        ),
        _late_answer(answered=answered),
        outcome_of(session),
    )


def _expiry_notice(session: HITLSession, *, answered: bool) -> Notice:
    refusal = gate_expired(session, partial(absolute_words, session=session))
    ended = session.state == State.EXPIRED
    answer = session.handle if ended else session.on_timeout
    return Notice(
        refusal.status,
        _("The time to answer is over"),
        _sentence(refusal),
        (
            _("The conversation with the customer goes on in the way that is set for a missing answer.")
            if answer
            else _("The conversation with the customer goes on without your answer."),
            _("If it still has to be decided, tell the person who asked you, with the reference below."),
        ),
        _late_answer(answered=answered),
        outcome_of(session) if ended else None,
    )


def _after_decision(session: HITLSession, page: GatePage | None = None) -> tuple[str, ...]:
    """Return what follows from the decision; with `page`, in detail."""
    if overtaking_of(session) is not None:
        return (_("The decision is not carried out. If it is asked again, you get a new mail with a new link."),)
    if session.delivery == Delivery.INCIDENT:
        return (_("The decision is stored, but the conversation could not go on with it yet. A supervisor sees that."),)
    option = next((option for option in page.options if option.id == session.handle), None) if page else None
    if option is None or not option.text:
        return (_("The conversation with the customer goes on by itself with this decision."),)
    ending = "" if option.text.endswith(("”", "»")) else "."
    return (_("The conversation with the customer goes on by itself; %s") % f"{option.text.rstrip('.')}{ending}",)


def _nothing_needed() -> str:
    return _("Nothing is needed from you. If you disagree, tell the person who asked you, with the reference below.")


def _late_answer(*, answered: bool) -> str:
    if answered:
        return _("your answer, marked as too late. It changed nothing.")
    return _("nothing. Opening this page stores nothing about you.")


def _sentence(refusal: Refused) -> str:
    return f"{refusal.detail.rstrip('.')}."


def _is_own(link: AnswerLink) -> bool:
    return link.session.submissions.filter(accepted=True, link=link).exists()


def _gate_page(link: AnswerLink) -> GatePage:
    return gate_page(link.session, read_link_holder(link.pk))
