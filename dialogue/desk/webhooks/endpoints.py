"""Endpoints of webhooks: added, changed, tested, paused, resumed, deleted. Every act is on record."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.db import transaction
from django.utils.translation import gettext as _

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.desk.webhooks.addressing import body_text
from dialogue.desk.webhooks.event_bodies import TEST
from dialogue.desk.webhooks.signed_posts import AddressRefused, check_address, public_addresses
from dialogue.desk.webhooks.signing_keys import replace_endpoint_secret
from dialogue.models import Assistant, WebhookDelivery, WebhookEndpoint
from dialogue.models.account import Account
from dialogue.turns import clock

KINDS = ("conversations", "messages", "sessions", "decisions", "incidents")
MAX_ENDPOINTS = 50
"""Each event is written for each of them."""

State = WebhookEndpoint.State


class EndpointRefused(ValueError):
    """The endpoint cannot be added; the text says why, and what to do."""


def add_endpoint(
    url: str, kinds: Iterable[str], by: Account, *, assistant: Assistant | None = None, with_texts: bool = False
) -> tuple[WebhookEndpoint, str]:
    """Add an endpoint and return it with its secret, to be shown once. Raises EndpointRefused."""
    wanted = _checked_kinds(kinds)
    address = _checked_address(url)
    with transaction.atomic():
        if WebhookEndpoint.objects.count() >= MAX_ENDPOINTS:
            raise EndpointRefused(_("There are %s webhooks already. Delete one that is not used.") % MAX_ENDPOINTS)
        endpoint = WebhookEndpoint.objects.create(
            url=address, assistant=assistant, with_texts=with_texts, made_by=by, made_at=clock.now(), **wanted
        )
        secret = replace_endpoint_secret(endpoint)
        _record(by, "webhook.made", endpoint, _content(endpoint))
    return endpoint, secret


def change_endpoint(endpoint: WebhookEndpoint, kinds: Iterable[str], by: Account, *, with_texts: bool) -> None:
    """Change what an endpoint is told of, from the next event on. Raises EndpointRefused."""
    wanted = _checked_kinds(kinds)
    with transaction.atomic():
        WebhookEndpoint.objects.filter(pk=endpoint.pk).update(with_texts=with_texts, **wanted)
        endpoint.refresh_from_db()
        _record(by, "webhook.changed", endpoint, _content(endpoint))


def rotate_secret(endpoint: WebhookEndpoint, by: Account) -> str:
    """Replace the secret and return the new one, to be shown once. The old one signs too for a day."""
    with transaction.atomic():
        secret = replace_endpoint_secret(endpoint)
        _record(by, "webhook.secret_replaced", endpoint)
    return secret


def pause_endpoint(endpoint: WebhookEndpoint, by: Account) -> bool:
    """Send nothing more; events wait. False where it is paused already."""
    with transaction.atomic():
        now = clock.now()
        active = WebhookEndpoint.objects.filter(pk=endpoint.pk, state=State.ACTIVE)
        if not active.update(state=State.PAUSED, paused_because=WebhookEndpoint.Cause.PERSON, paused_at=now):
            return False
        _record(by, "webhook.paused", endpoint, {"cause": "person"})
    return True


def resume_endpoint(endpoint: WebhookEndpoint, by: Account) -> bool:
    """Send what waits, with all its attempts again. False where the endpoint is not paused."""
    with transaction.atomic():
        paused = WebhookEndpoint.objects.filter(pk=endpoint.pk, state=State.PAUSED)
        if not paused.update(state=State.ACTIVE, paused_because="", paused_at=None, failures=0, rests_until=None):
            return False
        now = clock.now()
        endpoint.deliveries.filter(state=WebhookDelivery.State.PENDING).update(attempts=0, due_at=now)
        _record(by, "webhook.resumed", endpoint)
    return True


def delete_endpoint(endpoint: WebhookEndpoint, by: Account) -> bool:
    """Delete the endpoint with its deliveries, those that wait included. False where it is gone already."""
    with transaction.atomic():
        row = WebhookEndpoint.objects.select_for_update().filter(pk=endpoint.pk).first()
        if row is None:
            return False
        waiting = row.deliveries.filter(state=WebhookDelivery.State.PENDING).count()
        _record(by, "webhook.deleted", row, {"host": _host(row), "waiting": waiting})
        row.delete()
    return True


def test_endpoint(endpoint: WebhookEndpoint, by: Account) -> WebhookDelivery:
    """Send a test event, also to a paused endpoint. It is tried once."""
    now = clock.now()
    with transaction.atomic():
        delivery = WebhookDelivery.objects.create(
            endpoint=endpoint,
            type=TEST,
            body=body_text(TEST, now, {"webhook": endpoint.pk, "by": by.get_username()}),
            made_at=now,
            due_at=now,
        )
        _record(by, "webhook.tested", endpoint, {"delivery": delivery.webhook_id})
    return delivery


def resend_delivery(delivery: WebhookDelivery, by: Account) -> bool:
    """Send a delivery again, under the same id. False where it is on its way: of two people one wins."""
    with transaction.atomic():
        done = WebhookDelivery.objects.filter(
            pk=delivery.pk, state__in=(WebhookDelivery.State.DELIVERED, WebhookDelivery.State.FAILED)
        )
        if not done.update(state=WebhookDelivery.State.PENDING, attempts=0, due_at=clock.now(), error=""):
            return False
        _record(by, "webhook.resent", delivery.endpoint, {"delivery": delivery.webhook_id})
    return True


def kinds_of(endpoint: WebhookEndpoint) -> list[str]:
    """Return the kinds of events that an endpoint is told of."""
    return [kind for kind in KINDS if getattr(endpoint, kind)]


def _checked_kinds(kinds: Iterable[str]) -> dict[str, bool]:
    chosen = set(kinds)
    if not chosen & set(KINDS):
        raise EndpointRefused(_("Choose at least one kind of event."))
    return {kind: kind in chosen for kind in KINDS}


def _checked_address(url: str) -> str:
    address = url.strip()
    try:
        parts = check_address(address)
        public_addresses(str(parts.hostname), parts.port or 443)
    except AddressRefused as refused:
        raise EndpointRefused(_refusal_text(str(refused))) from None
    except (OSError, UnicodeError):
        raise EndpointRefused(_("The name in the address was not found. Check how it is written.")) from None
    return address


def _refusal_text(reason: str) -> str:
    if "public network" in reason:
        return _("The address leads into a private network. Enter one that can be reached from the internet.")
    return _("Enter an address that begins with https://, without a user and without a fragment.")


def _content(endpoint: WebhookEndpoint) -> dict[str, object]:
    assistant = endpoint.assistant.name if endpoint.assistant else None
    texts = endpoint.with_texts
    return {"host": _host(endpoint), "kinds": kinds_of(endpoint), "texts": texts, "assistant": assistant}


def _host(endpoint: WebhookEndpoint) -> str:
    """The address without its path, which may hold a secret of the receiver."""
    return urlsplit(endpoint.url).netloc


def _record(by: Account, act: str, endpoint: WebhookEndpoint, facts: dict[str, object] | None = None) -> None:
    done = Act(act, by.get_username(), by.pk, subject=f"webhook {endpoint.pk}", facts=facts or {})
    chain.record(CONSOLE, [done], clock.now())
