"""The end user's page. A visitor's browser keeps the token of its conversation in its session."""

import json
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_POST

from dialogue.desk.access.redaction import has_insight, record_reading
from dialogue.desk.access.unmasking import shows_values
from dialogue.desk.chats import chats
from dialogue.engine.slots.file_kinds import FILE_KINDS
from dialogue.models import Assistant, AssistantImage, Conversation, Message, UploadedFile
from dialogue.turns.accept import ConversationNotFound, conversation_by_token
from dialogue.turns.live.serializers import pending_view
from dialogue.turns.load import ServerBusy
from dialogue.web.shared.chat_texts import texts_of_release
from dialogue.web.shared.downloads import file_response
from dialogue.web.shared.languages import store_language
from dialogue.web.shared.limits import LimitReached, address_of, limit_text, open_from_address
from dialogue.web.shared.people import person_of_request
from dialogue.web.shared.permissions import is_staff, may_chat
from dialogue.web.shared.scope import visible_conversations

SESSION_KEY = "chats"
"""Where a visitor's session keeps {assistant: [conversation, token]}."""
MAX_LINES = 200
MAX_OTHER_ASSISTANTS = 8


@require_GET
@ensure_csrf_cookie
def chat(request: HttpRequest, assistant: str) -> HttpResponse:
    """The chat with one assistant, where this person or this browser left it."""
    home = _get_assistant(request, assistant)
    row, token = _current_conversation(request, home)
    lines = list(row.messages.order_by("-seq")[:MAX_LINES])[::-1] if row else []
    facts: dict[str, Any] = {
        "assistant": home,
        "conversation": row,
        "token": token,
        "lines": lines,
        "others": _other_assistants(request, home),
        **texts_of_release(row, home),
    }
    # Notes such as that of a refused file leave the question and its buttons as they are.
    facts["last_spoken"] = next((line.seq for line in reversed(lines) if line.role != Message.Role.SYSTEM), 0)
    pending = json.dumps(pending_view(row.pk, insight=False) if row else [])
    return render(request, "dialogue/chat/chat.html", {**facts, "pending": pending, "test": _is_test(request)})


@require_POST
def open_chat(request: HttpRequest, assistant: str) -> HttpResponse:
    """A new conversation: `{id, token}` for the page's module, the page itself for a browser's form."""
    home = _get_assistant(request, assistant)
    person = request.user if request.user.is_authenticated else None
    facts = {"user": person, "language": get_language() or "", "channel": "web", "test": _is_test(request)}
    try:
        row, token = open_from_address("" if person else address_of(request), home.name, **facts)
    except (LimitReached, ServerBusy) as limit:
        return _limit_response(request, limit)
    if person is None:
        request.session[SESSION_KEY] = {**request.session.get(SESSION_KEY, {}), home.name: [str(row.pk), token]}
    if "json" not in request.headers.get("accept", ""):
        return redirect("dialogue:chat", home.name)
    return JsonResponse({"id": str(row.pk), "token": "" if person else token}, status=201)


@require_POST
def leave(request: HttpRequest, assistant: str) -> HttpResponse:
    """Wait no longer for a person: the chat goes back to the assistant, which goes on where it stopped."""
    home = _get_assistant(request, assistant)
    row, _token = _current_conversation(request, home)
    if row is None:
        raise Http404
    did_leave = chats.leave_chat(row.pk)
    if "json" not in request.headers.get("accept", ""):
        return redirect("dialogue:chat", home.name)
    return JsonResponse({"left": did_leave})


@require_POST
def choose_language(request: HttpRequest, assistant: str) -> HttpResponse:
    """The page in another language of the assistant's, and what it says from now on; the lines that were said stay."""
    home, language = _get_assistant(request, assistant), request.POST.get("language", "")
    row, _token = _current_conversation(request, home)
    response = redirect("dialogue:chat", home.name)
    if language in dict(texts_of_release(row, home)["languages"]):
        if row is not None:
            Conversation.objects.filter(pk=row.pk).update(language=language)
        store_language(response, request.user.pk, language)
    return response


@require_GET
def image(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """An image of the assistant's folder. Messages of every channel link to it, so it asks for no account."""
    row = get_object_or_404(AssistantImage, assistant__name=assistant, name=name)
    headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox"}
    return HttpResponse(bytes(row.content), content_type=FILE_KINDS[row.kind].media_type, headers=headers)


@require_GET
def file(request: HttpRequest, file_id: UUID) -> HttpResponseBase:
    """A file that somebody sent, as an attachment: for its conversation's customer and for staff who may see it."""
    row = get_object_or_404(UploadedFile.objects.select_related("conversation"), pk=file_id)
    if row.session_id is None and _is_customer(request, row.conversation):
        return file_response(row)
    person = person_of_request(request)
    if not visible_conversations(person).filter(pk=row.conversation_id).exists():
        raise Http404
    if not has_insight(person, row.conversation):
        raise Http404
    if row.sensitive and not shows_values(person, row.conversation):
        detail = _("This file is sensitive. Ask to see the values of this conversation first.")
        return HttpResponse(detail, status=403, content_type="text/plain; charset=utf-8")
    record_reading(row.conversation, person, "file")
    return file_response(row)


def _is_customer(request: HttpRequest, row: Conversation) -> bool:
    """Whether the request comes from the conversation's account, or from the browser that keeps its token."""
    if request.user.is_authenticated:
        return bool(row.user_id == request.user.pk)
    for conversation, token in request.session.get(SESSION_KEY, {}).values():
        if conversation == str(row.pk):
            with suppress(ConversationNotFound):
                return conversation_by_token(row.pk, token).pk == row.pk
    return False


def _other_assistants(request: HttpRequest, home: Assistant) -> QuerySet[Assistant]:
    """The other published assistants, for people who signed in; visitors come by an address and see this one only."""
    if not request.user.is_authenticated:
        return Assistant.objects.none()
    others = Assistant.objects.filter(active_release__isnull=False).exclude(pk=home.pk)
    return others.order_by("title")[:MAX_OTHER_ASSISTANTS]


def _limit_response(request: HttpRequest, limit: LimitReached | ServerBusy) -> HttpResponse:
    """Too many chats were opened from there, or too much waits here: the page's module waits and tries again."""
    status, code = (503, "busy") if isinstance(limit, ServerBusy) else (429, "rate_limited")
    detail, headers = limit_text(limit), {"Retry-After": str(limit.seconds)}
    if "json" in request.headers.get("accept", ""):
        return JsonResponse({"code": code, "detail": detail}, status=status, headers=headers)
    return HttpResponse(detail, status=status, headers=headers, content_type="text/plain; charset=utf-8")


def _get_assistant(request: HttpRequest, name: str) -> Assistant:
    if not may_chat(person_of_request(request)):
        raise Http404
    return get_object_or_404(Assistant, name=name, active_release__isnull=False)


def _is_test(request: HttpRequest) -> bool:
    return is_staff(person_of_request(request))


def _current_conversation(request: HttpRequest, home: Assistant) -> tuple[Conversation | None, str]:
    if request.user.is_authenticated:
        conversations = Conversation.objects.filter(user=request.user.pk, assistant=home, channel="web")
        return conversations.exclude(state__in=Conversation.OVER).order_by("-active_at").first(), ""
    id_and_token: Any = request.session.get(SESSION_KEY, {}).get(home.name)
    if not id_and_token:
        return None, ""
    try:
        conversation = conversation_by_token(UUID(id_and_token[0]), id_and_token[1])
    except ConversationNotFound:
        return None, ""
    return conversation, id_and_token[1]
