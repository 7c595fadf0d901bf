"""The first page, and whether the service is there."""

from django.contrib.auth.decorators import login_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from dialogue.models import Assistant
from dialogue.web.people import may_chat, person_of_request
from dialogue.web.queues import may_see_gates
from dialogue.web.views.conversations import may_read
from dialogue.web.views.flows import may_see_flows


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """To the inbox, the flows, the conversations or the chats: wherever this person's work is."""
    person = person_of_request(request)
    if may_see_gates(person):
        return redirect("inbox")
    if may_see_flows(person):
        return redirect("flows")
    if may_read(person):
        return redirect("conversations")
    published = Assistant.objects.filter(active_release__isnull=False) if may_chat(person) else Assistant.objects.none()
    only = published.first() if published.count() == 1 else None
    return redirect("chat", only.name) if only else render(request, "chat/choose.html", {"assistants": published})


@never_cache
@require_GET
def live(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "live"})


@never_cache
@require_GET
def ready(request: HttpRequest) -> JsonResponse:
    """The process can work: its database answers. 503 while it does not."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "waiting", "for": "database"}, status=503)
    return JsonResponse({"status": "ready"})
