"""A refusal is told in one person's language; the gate's history tells it to others in theirs."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone, translation

from dialogue.desk.forms.refusals import InvalidValue, WrongField, sentence_of_fields
from dialogue.desk.forms.sentences import in_reader_language, source_of
from dialogue.desk.sessions import claims, service
from dialogue.desk.sessions.serializers import session_history
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import HITLSession, Submission
from dialogue.turns.clock import FrozenClock

pytestmark = [pytest.mark.django_db, pytest.mark.database]
Attempt = Callable[[HITLSession, Caller], Any]

TRIED: dict[str, tuple[Attempt, str]] = {
    "held by another": (
        lambda session, oscar: service.claim(session.pk, oscar),
        "Olga Petrov tiene {gate} hasta las 12:10.",
    ),
    "a wrong value": (
        lambda session, oscar: service.submit(session.pk, oscar, Answer("approve", {"daily_limit": 99_999})),
        "{gate}.0: “99999” está fuera de los límites. Debe estar entre 0 y 10.000.",
    ),
    "an unknown answer": (
        lambda session, oscar: service.submit(session.pk, oscar, Answer("maybe")),
        "«maybe» no es una acción disponible. Elija: approve, reject.",
    ),
    "no reason": (
        lambda session, oscar: service.submit(session.pk, oscar, Answer("reject")),
        "«Reject» necesita un motivo.",
    ),
    "another version": (
        lambda session, oscar: claims.claim(session.pk, oscar, version=77),
        "{gate} ha cambiado: está en la versión 1, usted vio la 77.",
    ),
}


def refused_lines(session: HITLSession, language: str) -> list[str]:
    with translation.override(language):
        return [line["text"] for line in session_history(session, str) if line["refused"]]


@pytest.mark.parametrize("way", TRIED)
def test_it_is_read_in_the_readers_language(
    way: str, noon: FrozenClock, session: HITLSession, olga: Caller, oscar: Caller
):
    attempt, in_spanish = TRIED[way]
    if way == "held by another":
        service.claim(session.pk, olga)
    with translation.override("en"), pytest.raises(service.Refused) as refused:
        attempt(session, oscar)

    assert refused_lines(session, "en") == [refused.value.detail]
    assert refused_lines(session, "es") == [in_spanish.format(gate=session.name)]


def test_a_moment_in_it_is_in_the_readers_zone_and_has_its_date_when_it_is_read_on_another_day(
    noon: FrozenClock, session: HITLSession, olga: Caller, oscar: Caller
):
    service.submit(session.pk, olga, Answer("approve", {"daily_limit": 7500}))
    with pytest.raises(service.Refused):
        service.submit(session.pk, oscar, Answer("approve", {"daily_limit": 7500}))

    at_once = refused_lines(session, "en")
    noon.advance(timedelta(days=1))
    with timezone.override("Asia/Tokyo"):
        next_day = refused_lines(session, "en")

    assert at_once == ["Olga Petrov approved at 12:00"]
    assert next_day == ["Olga Petrov approved on 23 Nov, 21:00"]


def test_what_was_recorded_before_is_shown_as_it_was_told(session: HITLSession, olga: Caller):
    with pytest.raises(service.Refused):
        service.submit(session.pk, olga, Answer("reject"))
    Submission.objects.update(sentence=None)

    assert refused_lines(session, "es") == ["“Reject” needs a reason."]


def test_what_was_typed_into_a_sensitive_field_is_not_kept_in_it():
    wrong = WrongField("pin", "g1.0", "number", "“4711x” is not a number.", "4711x", secret=True)
    other = WrongField("note", "g1.1", "required", "This is needed.", "")

    kept = InvalidValue(sentence_of_fields([wrong, other]), fields=(wrong, other)).on_record

    assert kept == "g1.0: number g1.1: This is needed."
    assert "4711" not in in_reader_language(source_of(kept))
