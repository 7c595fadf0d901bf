"""Webhooks: the endpoints of this installation, and what was delivered to each."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dialogue.desk.queue.keyset import NotOffered, keyset_page
from dialogue.desk.webhooks import endpoints
from dialogue.desk.webhooks.deliveries import MAX_ATTEMPTS, earlier_pending, with_order
from dialogue.desk.webhooks.endpoints import KINDS, EndpointRefused, add_endpoint, kinds_of
from dialogue.desk.webhooks.event_bodies import DECISIONS, INCIDENT_TYPES, TEST
from dialogue.models import Assistant, WebhookDelivery, WebhookEndpoint
from dialogue.models.account import Account
from dialogue.turns import clock
from dialogue.web.shared.people import account_of_request, needs, person_of_request
from dialogue.web.shared.permissions import may_manage_webhooks
from dialogue.web.shared.scope import visible_conversations

LIST_ROWS = 25
"""Endpoints on a page; an installation has at most `MAX_ENDPOINTS`."""
PAGE_ROWS = 50
"""Deliveries on a page."""
KIND_TITLES: dict[str, str | Promise] = {
    "conversations": gettext_lazy("Conversations: opened, ended"),
    "messages": gettext_lazy("Messages: every line of a conversation"),
    "sessions": gettext_lazy("Gates and chats of staff: opened, claimed, changed"),
    "decisions": gettext_lazy("Decisions: submitted, expired, cancelled"),
    "incidents": gettext_lazy("Incidents: a turn that failed, an answer that was not delivered"),
}
KIND_NAMES: dict[str, str | Promise] = {
    "conversations": gettext_lazy("Conversations"),
    "messages": gettext_lazy("Messages"),
    "sessions": gettext_lazy("Gates and chats"),
    "decisions": gettext_lazy("Decisions"),
    "incidents": gettext_lazy("Incidents"),
}
STATE_TITLES: dict[str, str | Promise] = {
    WebhookDelivery.State.PENDING: gettext_lazy("On its way"),
    WebhookDelivery.State.DELIVERED: gettext_lazy("Delivered"),
    WebhookDelivery.State.FAILED: pgettext_lazy("delivery", "Failed"),
}
TYPES = (
    "conversation.opened",
    "conversation.ended",
    "message.created",
    *(f"session.{kind}" for kind in ("opened", "claimed", "released", "changed", "escalated", "overtaken")),
    *(f"decision.{kind}" for kind in sorted(DECISIONS)),
    *INCIDENT_TYPES.values(),
    TEST,
)
TYPE_TITLES: dict[str, str | Promise] = {
    "conversation.opened": gettext_lazy("Conversation opened"),
    "conversation.ended": gettext_lazy("Conversation ended"),
    "message.created": gettext_lazy("Message written"),
    "session.opened": gettext_lazy("Gate or chat opened"),
    "session.claimed": gettext_lazy("Gate or chat claimed"),
    "session.released": gettext_lazy("Gate or chat released"),
    "session.changed": gettext_lazy("Gate or chat changed"),
    "session.escalated": gettext_lazy("Gate or chat escalated"),
    "session.overtaken": gettext_lazy("Gate overtaken by a change"),
    "decision.submitted": gettext_lazy("Decision submitted"),
    "decision.expired": gettext_lazy("Gate expired"),
    "decision.cancelled": gettext_lazy("Gate cancelled"),
    "incident.turn_failed": gettext_lazy("A turn failed"),
    "incident.decision_orphaned": gettext_lazy("A decision no longer fits its conversation"),
    "incident.answer_undelivered": gettext_lazy("An answer did not reach its agent"),
    "incident.mail_undelivered": gettext_lazy("A mail was not delivered"),
    "incident.line_undelivered": gettext_lazy("A line did not reach its channel"),
    TEST: gettext_lazy("Test"),
}
"""What happened, in words; a type without words is shown by its name."""


@dataclass(frozen=True)
class KindChoice:
    """A kind of events as a box to check."""

    name: str
    title: str | Promise
    short_title: str | Promise
    is_chosen: bool


@dataclass(frozen=True)
class Attempt:
    """One attempt of a delivery. Without an answer `status` is None; `error` is empty if it arrived."""

    at: datetime
    status: int | None
    milliseconds: int | None
    error: str


@needs(may_manage_webhooks)
@never_cache
@require_http_methods(["GET", "POST"])
def webhooks(request: HttpRequest) -> HttpResponse:
    """The endpoints, and the form that adds one. The secret of a new one is in this answer, and nowhere else."""
    if request.method == "POST":
        return _add(request)
    return _list_page(request, assistant=request.GET.get("assistant", ""))


@needs(may_manage_webhooks)
@require_GET
def webhook(request: HttpRequest, number: int) -> HttpResponse:
    """One endpoint with its deliveries, newest first."""
    return _endpoint_page(request, get_object_or_404(_endpoints(), pk=number))


@needs(may_manage_webhooks)
@never_cache
@require_POST
def change_webhook(request: HttpRequest, number: int, change: str) -> HttpResponse:
    """Do one of `CHANGES` to an endpoint. Raises Http404 for another one."""
    endpoint, account = get_object_or_404(_endpoints(), pk=number), account_of_request(request)
    if account is None or change not in CHANGES:
        raise Http404
    return CHANGES[change](request, endpoint, account)


@needs(may_manage_webhooks)
@require_GET
def delivery(request: HttpRequest, number: int) -> HttpResponse:
    """One delivery: what is sent, and what was answered."""
    row = get_object_or_404(WebhookDelivery.objects.select_related("endpoint"), pk=number)
    earlier = earlier_pending(row)
    facts = {
        "row": row,
        "title": TYPE_TITLES.get(row.type, row.type),
        "state": STATE_TITLES[row.state],
        "error": _error_text(row.error, row.status),
        "attempts": _attempts_of(row),
        "earlier": earlier,
        "earlier_title": TYPE_TITLES.get(earlier.type, earlier.type) if earlier else "",
        "situation": _situation_of(row, earlier),
        "attempts_left": max(MAX_ATTEMPTS - row.attempts, 0),
        "body": _indented(row.body),
        "conversation_is_visible": _is_visible(request, row),
    }
    return render(request, "dialogue/integrate/delivery.html", facts)


@needs(may_manage_webhooks)
@require_POST
def resend(request: HttpRequest, number: int) -> HttpResponse:
    """Send a delivery again; of two people who ask for it one wins."""
    row, account = get_object_or_404(WebhookDelivery, pk=number), account_of_request(request)
    if account is not None and endpoints.resend_delivery(row, account):
        messages.success(request, _("It is sent again, under the same id."))
    else:
        messages.warning(request, _("It is on its way already."))
    return redirect("dialogue:webhook_delivery", row.pk)


def _situation_of(row: WebhookDelivery, earlier: WebhookDelivery | None) -> str:
    """What a delivery waits for, or came to: a word for which its page has a sentence with what to do next.

    One of delivered, test_failed, failed, paused, earlier, again, resting and first.
    """
    if row.state == WebhookDelivery.State.DELIVERED:
        return "delivered"
    if row.state == WebhookDelivery.State.FAILED:
        return "test_failed" if row.type == TEST else "failed"
    if row.type == TEST:
        return "first"
    if row.endpoint.state == WebhookEndpoint.State.PAUSED:
        return "paused"
    if earlier:
        return "earlier"
    if row.error:
        return "again"
    return "resting" if row.endpoint.rests_until and row.endpoint.rests_until > clock.now() else "first"


def _is_visible(request: HttpRequest, row: WebhookDelivery) -> bool:
    visible = visible_conversations(person_of_request(request))
    return row.conversation_id is not None and visible.filter(pk=row.conversation_id).exists()


def _indented(body: str) -> str:
    """The body of JSON a value on a line; what is no JSON stays as it is."""
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except ValueError:
        return body


def _attempts_of(row: WebhookDelivery) -> list[Attempt]:
    """The attempts, newest first; of a delivery from before they were kept, the last one."""
    entries = [
        Attempt(
            datetime.fromisoformat(entry["at"]),
            entry["status"],
            entry["milliseconds"],
            _error_text(entry["error"], entry["status"]),
        )
        for entry in reversed(row.attempt_log)
    ]
    if entries or row.tried_at is None:
        return entries
    return [Attempt(row.tried_at, row.status, row.milliseconds, _error_text(row.error, row.status))]


def _error_text(error: str, status: int | None) -> str:
    """Why an attempt failed, in the reader's language where the address answered at all."""
    if not error or status is None:
        return error
    if 300 <= status < 400:
        return _("The address answered %s. Redirects are not followed.") % status
    return _("The address answered %s.") % status


def _endpoints() -> Any:
    return WebhookEndpoint.objects.select_related("assistant", "made_by")


def _add(request: HttpRequest) -> HttpResponse:
    account, name = account_of_request(request), request.POST.get("assistant", "")
    if account is None:
        raise Http404
    assistant = get_object_or_404(Assistant, name=name) if name else None
    kinds, url = request.POST.getlist("kind"), request.POST.get("url", "")
    with_texts = request.POST.get("texts") == "on"
    try:
        endpoint, secret = add_endpoint(url, kinds, account, assistant=assistant, with_texts=with_texts)
    except EndpointRefused as refused:
        typed = {"url": url[:2000], "kinds": kinds, "texts": with_texts, "assistant": name, "refusal": str(refused)}
        return _list_page(request, status=422, **typed)
    return _endpoint_page(request, endpoint, secret=secret)


def _pause(request: HttpRequest, endpoint: WebhookEndpoint, account: Account) -> HttpResponse:
    if endpoints.pause_endpoint(endpoint, account):
        messages.success(request, _("The webhook is paused. Its events are kept and sent later."))
    return redirect("dialogue:webhook", endpoint.pk)


def _resume(request: HttpRequest, endpoint: WebhookEndpoint, account: Account) -> HttpResponse:
    if endpoints.resume_endpoint(endpoint, account):
        messages.success(request, _("The webhook is active again. The events that waited are sent now."))
    return redirect("dialogue:webhook", endpoint.pk)


def _replace_secret(request: HttpRequest, endpoint: WebhookEndpoint, account: Account) -> HttpResponse:
    return _endpoint_page(request, endpoint, secret=endpoints.rotate_secret(endpoint, account))


def _test(request: HttpRequest, endpoint: WebhookEndpoint, account: Account) -> HttpResponse:
    return redirect("dialogue:webhook_delivery", endpoints.test_endpoint(endpoint, account).pk)


def _change(request: HttpRequest, endpoint: WebhookEndpoint, account: Account) -> HttpResponse:
    with_texts = request.POST.get("texts") == "on"
    try:
        endpoints.change_endpoint(endpoint, request.POST.getlist("kind"), account, with_texts=with_texts)
    except EndpointRefused as refused:
        return _endpoint_page(request, endpoint, status=422, refusal=str(refused))
    messages.success(request, _("These events are sent to the address from now on."))
    return redirect("dialogue:webhook", endpoint.pk)


def _delete(request: HttpRequest, endpoint: WebhookEndpoint, account: Account) -> HttpResponse:
    if endpoints.delete_endpoint(endpoint, account):
        messages.success(request, _("The webhook to %s is deleted.") % endpoint.url)
    return redirect("dialogue:webhooks")


CHANGES: dict[str, Callable[[HttpRequest, WebhookEndpoint, Account], HttpResponse]] = {
    "pause": _pause,
    "resume": _resume,
    "secret": _replace_secret,
    "test": _test,
    "change": _change,
    "delete": _delete,
}


def _list_page(request: HttpRequest, status: int = 200, **typed: Any) -> HttpResponse:
    try:
        page = keyset_page(_endpoints(), ("id",), cursor=request.GET.get("after", ""), limit=LIST_ROWS)
    except NotOffered as error:
        raise Http404 from error
    facts = {
        "endpoints": [{"row": row, "kinds": [KIND_NAMES[kind] for kind in kinds_of(row)]} for row in page.rows],
        "next": page.next,
        "is_adding": bool({"new", "assistant"} & request.GET.keys()) or "refusal" in typed,
        "assistants": Assistant.objects.order_by("name"),
        "kinds": _choices(typed.get("kinds", ("decisions", "incidents"))),
    }
    return render(request, "dialogue/integrate/webhooks.html", {**facts, "typed": typed}, status=status)


def _endpoint_page(request: HttpRequest, endpoint: WebhookEndpoint, status: int = 200, **more: Any) -> HttpResponse:
    state, event = request.GET.get("state", ""), request.GET.get("event", "")
    if (state and state not in STATE_TITLES) or (event and event not in TYPES):
        raise Http404
    chosen = {name: value for name, value in (("state", state), ("type", event)) if value}
    rows = with_order(endpoint.deliveries.filter(**chosen).defer("body", "answer"))
    try:
        page = keyset_page(rows, ("-id",), cursor=request.GET.get("after", ""), limit=PAGE_ROWS)
    except NotOffered as error:
        raise Http404 from error
    facts = {
        "endpoint": endpoint,
        "kinds": _choices(kinds_of(endpoint)),
        "rows": [_delivery_row(row, endpoint) for row in page.rows],
        "next": page.next,
        "has_failed": any(row.state == WebhookDelivery.State.FAILED and row.type != TEST for row in page.rows),
        "chips": [
            _chip("state", _("State"), state, STATE_TITLES.items()),
            _chip("event", _("Event"), event, ((name, TYPE_TITLES[name]) for name in TYPES)),
        ],
        "is_filtered": bool(chosen),
        "next_act": _next_act(endpoint),
    }
    return render(request, "dialogue/integrate/webhook.html", {**facts, **more}, status=status)


def _next_act(endpoint: WebhookEndpoint) -> str:
    """The act that the page proposes: "resume", or "test" where it is open whether deliveries arrive; else empty."""
    if endpoint.paused_because == WebhookEndpoint.Cause.PERSON:
        return "resume"
    is_untried = endpoint.succeeded_at is None
    return "test" if is_untried or endpoint.state == WebhookEndpoint.State.PAUSED else ""


def _delivery_row(row: Any, endpoint: WebhookEndpoint) -> dict[str, Any]:
    """A delivery of `with_order` in the list. `waits_for`: "paused", "earlier", or "" where it is sent by itself."""
    waits_for = ""
    if row.state == WebhookDelivery.State.PENDING and row.type != TEST:
        is_paused = endpoint.state == WebhookEndpoint.State.PAUSED
        waits_for = "paused" if is_paused else "earlier" if row.is_held else ""
    title = TYPE_TITLES.get(row.type, row.type)
    return {"row": row, "title": title, "state": STATE_TITLES[row.state], "waits_for": waits_for}


def _chip(name: str, title: str, chosen: str, choices: Iterable[tuple[str, str | Promise]]) -> dict[str, Any]:
    """A filter as `dialogue/filter_chip.html` shows it; the first choice is none."""
    every = [("", _("Any")), *choices]
    return {
        "name": name,
        "title": title,
        "chosen": dict(every)[chosen],
        "is_set": bool(chosen),
        "choices": [{"value": value, "label": label, "chosen": value == chosen} for value, label in every],
    }


def _choices(chosen: Any) -> list[KindChoice]:
    return [KindChoice(kind, KIND_TITLES[kind], KIND_NAMES[kind], kind in chosen) for kind in KINDS]
