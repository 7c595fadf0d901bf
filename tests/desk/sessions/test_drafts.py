"""What was typed and not sent goes on with whoever takes the session on."""

import pytest

from dialogue.desk.sessions import claims, service
from dialogue.desk.sessions.claims import CLAIM_LEASE
from dialogue.desk.sessions.drafts import DraftText, draft_of
from dialogue.desk.sessions.serializers import session_history
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import HITLSession, Submission
from dialogue.turns.clock import FrozenClock

pytestmark = [pytest.mark.django_db, pytest.mark.database]
TYPED = {"daily_limit": "7.5k"}


@pytest.fixture
def held(session: HITLSession, olga: Caller) -> HITLSession:
    """Olga has the session, and has typed something."""
    service.claim(session.pk, olga)
    service.save_draft(session.pk, olga, DraftText(TYPED, "approve"))
    return session


def handed(session: HITLSession, caller: Caller) -> tuple[dict[str, object], str, str]:
    text = draft_of(session, caller.user)
    return dict(text.values), text.action, text.author


def test_who_takes_a_session_over_goes_on_with_what_its_holder_typed(held: HITLSession, olga: Caller, sofia: Caller):
    service.take_over(held.pk, sofia, reason="Olga is ill")

    assert handed(held, sofia) == (TYPED, "approve", "Olga Petrov")
    assert handed(held, olga) == (TYPED, "approve", "")


@pytest.mark.parametrize("way", ["given back", "ran out", "ran out and was swept"])
def test_so_does_who_claims_what_was_given_back_or_ran_out(
    way: str, noon: FrozenClock, held: HITLSession, olga: Caller, oscar: Caller
):
    if way == "given back":
        service.release(held.pk, olga)
    else:
        noon.advance(CLAIM_LEASE)
    if way == "ran out and was swept":
        assert claims.return_expired_claims() == 1

    service.claim(held.pk, oscar)

    assert handed(held, oscar) == (TYPED, "approve", "Olga Petrov")


def test_what_is_typed_since_is_ones_own(held: HITLSession, sofia: Caller):
    service.take_over(held.pk, sofia, reason="Olga is ill")

    service.save_draft(held.pk, sofia, DraftText({"daily_limit": "7000"}, "approve"))

    assert handed(held, sofia) == ({"daily_limit": "7000"}, "approve", "")


def test_what_somebody_typed_themselves_is_not_written_over(session: HITLSession, olga: Caller, oscar: Caller):
    service.save_draft(session.pk, oscar, DraftText({"reason": "mine"}))
    service.claim(session.pk, olga)
    service.save_draft(session.pk, olga, DraftText(TYPED, "approve"))
    service.release(session.pk, olga)

    service.claim(session.pk, oscar)

    assert handed(session, oscar) == ({"reason": "mine"}, "", "")


def test_who_only_looks_sees_nobodys_draft(held: HITLSession, oscar: Caller):
    with pytest.raises(service.Refused):
        service.claim(held.pk, oscar)

    assert handed(held, oscar) == ({}, "", "")


def test_a_draft_that_arrives_after_ones_own_answer_is_no_second_attempt(session: HITLSession, olga: Caller):
    service.submit(session.pk, olga, Answer("approve", {"daily_limit": 7500}))

    with pytest.raises(service.Refused) as refused:
        service.save_draft(session.pk, olga, DraftText({"daily_limit": "7500"}))

    assert (refused.value.status, refused.value.code) == (409, "already_submitted")
    assert refused.value.draft == {"values": {"daily_limit": "7500"}, "action": ""}
    session.refresh_from_db()
    assert draft_of(session, olga.user).is_empty
    assert not any(line["refused"] for line in session_history(session, str))


def test_a_draft_that_arrives_after_somebody_elses_answer_is_kept(session: HITLSession, olga: Caller, oscar: Caller):
    service.submit(session.pk, oscar, Answer("approve"))

    with pytest.raises(service.Refused):
        service.save_draft(session.pk, olga, DraftText(TYPED, "approve"))

    assert handed(session, olga) == (TYPED, "approve", "")
    assert Submission.objects.get(session=session, accepted=False).code == "already_submitted"
