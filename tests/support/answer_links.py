"""People outside who are asked by mail: fixtures for the rooms that deal with links."""

import re
from collections.abc import Callable

import pytest
from django.core import mail

from dialogue.desk.maintenance.outbox import deliver_due
from dialogue.models import AnswerLink, HITLSession
from dialogue.turns import clock
from dialogue.turns.answer_links import invite_people

DANIEL = "daniel@treasury.example"

Asker = Callable[..., AnswerLink]


@pytest.fixture
def ask() -> Asker:
    """Asks one address about a session, as the turn that opens it would; the link."""

    def asked(session: HITLSession, email: str = DANIEL) -> AnswerLink:
        session.channels = [{"email": email}]
        session.save(update_fields=["channels"])
        invite_people(session, clock.now())
        return AnswerLink.objects.get(session=session, email=email)

    return asked


@pytest.fixture
def link(session: HITLSession, ask: Asker) -> AnswerLink:
    """Daniel of the treasury is asked about the transfer."""
    return ask(session)


@pytest.fixture
def token(link: AnswerLink) -> str:
    """What stands in the mail that Daniel got."""
    deliver_due()
    return newest_token()


def newest_token() -> str:
    """The token of the last mail that went out."""
    found = re.search(r"/answer/([\w-]{43})/", str(mail.outbox[-1].body))
    assert found
    return found.group(1)
