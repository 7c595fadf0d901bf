"""Address the stored events: each becomes one delivery for every endpoint that wants it, and is deleted, in one commit.

The events of a conversation are addressed in their order. They wait while a message of the customer has not been
understood: which values in it are sensitive is unknown until then.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from dialogue.desk.webhooks.event_bodies import EventBody, event_bodies
from dialogue.models import Event, InboxEvent, WebhookDelivery, WebhookEndpoint, WebhookEvent
from dialogue.turns import clock

BATCH_EVENTS = 200


def address_events(limit: int = BATCH_EVENTS) -> int:
    """Address up to `limit` events, oldest first; return how many."""
    if not WebhookEvent.objects.exists():
        return 0
    with transaction.atomic():
        # Locked in the order of their numbers, so that two workers do not address the same event.
        numbers = list(_understood_events().order_by("pk").values_list("pk", flat=True)[:limit])
        events = list(WebhookEvent.objects.select_for_update().filter(pk__in=numbers).order_by("pk"))
        endpoints = list(WebhookEndpoint.objects.order_by("pk"))
        bodies = event_bodies(events) if endpoints else []
        WebhookDelivery.objects.bulk_create(_deliveries(bodies, endpoints, clock.now()))
        WebhookEvent.objects.filter(pk__in=[event.pk for event in events]).delete()
    return len(events)


def body_text(type_name: str, at: datetime, data: dict[str, object]) -> str:
    """Return the body of a delivery as it is sent and signed."""
    body = {"type": type_name, "timestamp": at.isoformat(), "data": data}
    return json.dumps(body, ensure_ascii=False, cls=DjangoJSONEncoder)


def _understood_events() -> QuerySet[WebhookEvent]:
    change = InboxEvent.objects.filter(pk=OuterRef("row")).values("session__conversation")
    rows = WebhookEvent.objects.annotate(talk=Coalesce("conversation_id", Subquery(change[:1])))
    unread = Event.objects.filter(conversation=OuterRef("talk"), state=Event.State.DUE, message__isnull=False)
    return rows.exclude(Exists(unread))


def _deliveries(
    bodies: Sequence[EventBody], endpoints: Sequence[WebhookEndpoint], now: datetime
) -> list[WebhookDelivery]:
    return [
        WebhookDelivery(
            endpoint=endpoint,
            conversation=body.conversation,
            type=body.type,
            body=body_text(body.type, body.at, body.data(with_texts=endpoint.with_texts)),
            made_at=now,
            due_at=now,
        )
        for body in bodies
        for endpoint in endpoints
        if _wants(endpoint, body)
    ]


def _wants(endpoint: WebhookEndpoint, body: EventBody) -> bool:
    concerns_assistant = endpoint.assistant_id in (None, body.conversation.assistant_id)
    return concerns_assistant and getattr(endpoint, body.kind) and endpoint.made_at <= body.at
