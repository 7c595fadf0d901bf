"""The first page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from dialogue.models import Assistant
from dialogue.web.shared.people import person_of_request
from dialogue.web.shared.permissions import may_chat, may_read, may_see_flows, may_see_gates


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """To the inbox, the flows, the conversations or the chats: wherever this person's work is."""
    person = person_of_request(request)
    if may_see_gates(person):
        return redirect("dialogue:inbox")
    if may_see_flows(person):
        return redirect("dialogue:flows")
    if may_read(person):
        return redirect("dialogue:conversations")
    published = Assistant.objects.filter(active_release__isnull=False) if may_chat(person) else Assistant.objects.none()
    only = published.first() if published.count() == 1 else None
    return (
        redirect("dialogue:chat", only.name)
        if only
        else render(request, "dialogue/chat/choose_assistant.html", {"assistants": published})
    )
