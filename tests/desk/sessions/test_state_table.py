"""Every cell of the state table of a session: which operation, in which state, gets which answer."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import DraftText, draft_of
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import Event, HITLSession
from dialogue.turns.clock import FrozenClock
from tests.support.transfers import Opener

pytestmark = [pytest.mark.django_db, pytest.mark.database]

Operation = Callable[[int, Caller], service.Outcome]
TYPED = DraftText({"daily_limit": "7.5k"}, "approve")

OPERATIONS: dict[str, Operation] = {
    "claim": service.claim,
    "release": service.release,
    "take over": lambda number, who: service.take_over(number, who, reason="Olga went home"),
    "save draft": lambda number, who: service.save_draft(number, who, TYPED),
    "submit": lambda number, who: service.submit(number, who, Answer("approve", {"daily_limit": 9000})),
    "expire": lambda number, who: service.expire(number, who, reason="nobody comes"),
    "extend": lambda number, who: service.extend(number, who, by=timedelta(hours=1)),
    "cancel": lambda number, who: service.cancel(number, who, reason="a mistake"),
    "retry": service.retry_delivery,
    "abandon": service.abandon_delivery,
}
SUPERVISED = {"take over", "extend", "cancel", "retry", "abandon"}

# operation: open, claimed by me, claimed by another, overdue, submitted, expired, cancelled
TABLE: dict[str, tuple[Any, ...]] = {
    "claim": (200, 200, "claimed_by_other", 410, 409, 410, 410),
    "release": ("not_claimed", 200, "not_claim_holder", 200, 409, 410, 410),
    "take over": (200, 200, 200, 410, 409, 410, 410),
    "save draft": (200, 200, 409, 410, 409, 410, 410),
    "submit": (201, 201, 409, "gate_expired", "already_submitted", 410, 410),
    "expire": (200, 200, "not_allowed", 200, 409, 410, 410),
    "extend": (200, 200, 200, 410, 409, 410, 410),
    "cancel": (200, 200, 200, 200, 409, 410, 410),
    "retry": ("not_decided", "not_decided", "not_decided", "not_decided", *["not_in_incident"] * 3),
    "abandon": ("not_decided", "not_decided", "not_decided", "not_decided", *["not_in_incident"] * 3),
}
STATES = ("open", "claimed by me", "claimed by another", "overdue", "submitted", "expired", "cancelled")
CELLS = [(operation, state, TABLE[operation][place]) for operation in TABLE for place, state in enumerate(STATES)]


@pytest.fixture
def reach(
    open_session: Opener, noon: FrozenClock, oscar: Caller, sofia: Caller
) -> Callable[[str, Caller], HITLSession]:
    """Brings a session into a state, seen from `me`."""

    def reached(state: str, me: Caller) -> HITLSession:
        session = open_session()
        match state:
            case "claimed by me":
                service.claim(session.pk, me)
            case "claimed by another":
                service.claim(session.pk, oscar)
            case "overdue":
                noon.advance(timedelta(minutes=25))
                service.claim(session.pk, me)
                noon.advance(timedelta(minutes=5))
            case "submitted":
                service.submit(session.pk, oscar, Answer("approve"))
            case "expired":
                noon.advance(timedelta(minutes=30))
                service.expire_due()
            case "cancelled":
                service.cancel(session.pk, sofia, reason="a mistake")
            case _:
                pass
        session.refresh_from_db()
        return session

    return reached


@pytest.fixture
def people(olga: Caller, sofia: Caller) -> tuple[Caller, Caller]:
    return olga, sofia


def answer(operation: str, session: HITLSession, who: Caller) -> tuple[int, str]:
    """Status and code of an operation; the code of a success is empty."""
    try:
        return OPERATIONS[operation](session.pk, who).status, ""
    except service.Refused as refused:
        return refused.status, refused.code


@pytest.mark.parametrize(("operation", "state", "expected"), CELLS)
def test_every_cell_of_the_state_table(operation, state, expected, reach, people):
    olga, sofia = people
    me = sofia if operation in SUPERVISED else olga
    session = reach(state, me)

    status, code = answer(operation, session, me)

    assert expected in (status, code)
    assert (status < 400) == (code == "")


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
@pytest.mark.parametrize("state", STATES)
def test_what_was_refused_has_changed_nothing_and_is_kept(operation, state, reach, people):
    olga, sofia = people
    me = sofia if operation in SUPERVISED else olga
    session = reach(state, me)
    before = HITLSession.objects.filter(pk=session.pk).values().get()
    attempts = session.submissions.filter(accepted=False).count()

    status, code = answer(operation, session, me)

    if status >= 400:
        assert HITLSession.objects.filter(pk=session.pk).values().get() == before
        assert session.submissions.filter(accepted=False).count() == attempts + 1
        assert session.submissions.last().code == code
    else:
        assert session.submissions.filter(accepted=False).count() == attempts


@pytest.mark.parametrize(("state", "status"), [("overdue", 410), ("submitted", 409), ("cancelled", 410)])
def test_a_draft_that_comes_too_late_is_kept_and_given_back(state, status, reach, olga: Caller):
    session = reach(state, olga)

    with pytest.raises(service.Refused) as refused:
        service.save_draft(session.pk, olga, TYPED)

    assert refused.value.status == status
    assert refused.value.plain()["draft"] == {"values": {"daily_limit": "7.5k"}, "action": "approve"}
    assert draft_of(session, olga.user) == TYPED


@pytest.mark.parametrize("operation", ["retry", "abandon"])
@pytest.mark.parametrize("state", ["submitted", "expired", "cancelled"])
def test_a_stuck_delivery_is_tried_again_or_given_up(operation, state, reach, olga: Caller, sofia: Caller):
    session = reach(state, olga)
    HITLSession.objects.filter(pk=session.pk).update(delivery="incident")
    Event.objects.filter(session=session).update(state="incident", attempts=3)

    status, _code = answer(operation, session, sofia)

    session.refresh_from_db()
    event = Event.objects.get(session=session)
    retried = operation == "retry"
    assert status == 202
    assert session.delivery == ("pending" if retried else "abandoned")
    assert (event.state, event.attempts) == (("due", 0) if retried else ("abandoned", 0))


def test_a_gate_that_needs_a_claim_refuses_who_has_none(open_session: Opener, olga: Caller):
    session = open_session(claim_required=True)

    with pytest.raises(service.Refused) as refused:
        service.submit(session.pk, olga, Answer("approve"))
    service.claim(session.pk, olga)
    outcome = service.submit(session.pk, olga, Answer("approve"))

    assert (refused.value.status, refused.value.code) == (409, "claim_required")
    assert outcome.status == 201


def test_a_supervisor_may_let_expire_what_another_has_claimed(reach, olga: Caller, sofia: Caller):
    session = reach("claimed by another", olga)

    outcome = service.expire(session.pk, sofia, reason="Oscar is ill")

    assert (outcome.status, outcome.session.state, outcome.session.handle) == (200, "expired", "reject")


@pytest.mark.parametrize("swept", [False, True])
def test_a_claim_that_ran_out_is_nobodys_whether_or_not_the_sweep_was_there(
    swept: bool, noon: FrozenClock, open_session: Opener, olga: Caller
):
    session = open_session(claim_required=True)
    service.claim(session.pk, olga)
    noon.advance(service.CLAIM_LEASE)
    if swept:
        service.return_expired_claims()

    service.save_draft(session.pk, olga, TYPED)

    assert answer("release", session, olga) == (409, "not_claimed")
    assert answer("submit", session, olga) == (409, "claim_required")
    assert answer("claim", session, olga) == (200, "")
    assert answer("release", session, olga) == (200, "")
