"""The tour of the gate: it begins by itself for a person who has never decided a gate, until they skip or end it."""

from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from dialogue.desk.access.people import DECIDE, Person
from dialogue.models import HITLSession, Preference
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_command

SESSION_KEY = "gate_tour"
OVER = "over"
"""What the session has under its key once the tour does not begin by itself; it saves later requests the queries."""


def may_take_tour(person: Person) -> bool:
    """Return whether the tour is for this person: they decide gates."""
    return person.has(DECIDE) and not person.is_auditor


def begins_tour(request: HttpRequest) -> bool:
    """Return whether the tour begins by itself at the next gate that this request's person opens."""
    person = person_of_request(request)
    if not may_take_tour(person) or request.session.get(SESSION_KEY) == OVER:
        return False
    skipped = Preference.objects.filter(user=OuterRef("pk"), skips_gate_tour=True)
    decided = HITLSession.objects.filter(decided_by=OuterRef("pk"), kind=HITLSession.Kind.HUMAN)
    begins = get_user_model().objects.filter(~Exists(skipped), ~Exists(decided), pk=person.id).exists()
    if not begins:
        request.session[SESSION_KEY] = OVER
    return begins


@needs(may_command)
@require_POST
def end_tour(request: HttpRequest) -> HttpResponse:
    """Remember that this person has skipped the tour or come to its end."""
    person = person_of_request(request)
    if may_take_tour(person):
        Preference.objects.update_or_create(user_id=person.id, defaults={"skips_gate_tour": True})
        request.session[SESSION_KEY] = OVER
    return HttpResponse(status=204)
