"""Whether this person wants to be left in peace, as data for the page's module."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_GET

from dialogue.desk.queue.do_not_disturb import quiet_of
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_command


@needs(may_command)
@require_GET
def quiet(request: HttpRequest) -> JsonResponse:
    """`{until, urgent: [{number, title, expires_at, breaks_at}]}`: quiet before `until`, but for these gates."""
    return JsonResponse(quiet_of(person_of_request(request)).plain())
