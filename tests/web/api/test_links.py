"""Outside approvers' links over HTTP: their status in the session, sending again, and closing."""

import pytest

from dialogue.desk.maintenance import outbox
from dialogue.desk.sessions.service import Caller
from dialogue.models import AnswerLink
from tests.web.api.conftest import ProgramOf

pytestmark = pytest.mark.django_db


def path_of(link: AnswerLink, act: str) -> str:
    return f"/sessions/g{link.session_id}/links/{link.pk}/{act}"


def test_a_session_says_what_became_of_its_links(link: AnswerLink, olga: Caller, program_of: ProgramOf):
    outbox.deliver_due()

    told = program_of(olga).get(f"/sessions/g{link.session_id}").json()["links"]

    assert [(each["to"], each["mail"], each["attempts"]) for each in told] == [("daniel@treasury.example", "sent", 1)]


def test_a_supervisor_sends_a_link_again_and_closes_it(link: AnswerLink, sofia: Caller, program_of: ProgramOf):
    sent = program_of(sofia).post(path_of(link, "resend"))
    closed = program_of(sofia).post(path_of(link, "revoke"))

    assert (sent.status_code, closed.status_code) == (200, 200)
    assert closed.json()["links"][0]["revoked_at"] is not None


def test_an_operator_may_not(link: AnswerLink, olga: Caller, program_of: ProgramOf):
    assert program_of(olga).post(path_of(link, "revoke")).status_code == 403


@pytest.mark.parametrize("act", ["open", "Resend", "x"])
def test_what_cannot_be_done_with_a_link_is_not_found(act, link: AnswerLink, sofia: Caller, program_of: ProgramOf):
    assert program_of(sofia).post(path_of(link, act)).status_code == 404


@pytest.mark.parametrize("number", ["999", "-1", "1e3", "9" * 40])
def test_a_link_that_is_none_is_not_found(number, link: AnswerLink, sofia: Caller, program_of: ProgramOf):
    path = f"/sessions/g{link.session_id}/links/{number}/revoke"

    assert program_of(sofia).post(path).status_code == 404
