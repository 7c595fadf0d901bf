"""Metrics for Prometheus: the counters of this process, or of all processes of `up`, and gauges from the database."""

import hmac
import os
from collections.abc import Iterable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from dialogue.conf import soni
from dialogue.models import Event, HITLSession
from dialogue.turns import clock
from dialogue.turns.metrics import COUNTERS_FOLDER


@never_cache
@require_GET
def metrics_page(request: HttpRequest) -> HttpResponse:
    """Prometheus' text format, for the bearer of SONI_METRICS_TOKEN; 404 without that setting."""
    token = soni.METRICS_TOKEN
    authorization = request.headers.get("Authorization", "")
    if not token or not hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode()):
        raise Http404
    from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest, multiprocess

    registry = CollectorRegistry()
    registry.register(DatabaseMetrics())
    if COUNTERS_FOLDER not in os.environ:
        return HttpResponse(generate_latest(REGISTRY) + generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class DatabaseMetrics:
    """Collector of what waits in the database, for any process. Each number is one index lookup."""

    def collect(self) -> Iterable[Any]:
        from prometheus_client.core import GaugeMetricFamily

        for name, meaning, value in waiting_counts():
            yield GaugeMetricFamily(f"soni_{name}", meaning, value=value)


def waiting_counts() -> list[tuple[str, str, float]]:
    """Everything that waits, as `(name, meaning, number)`."""
    due_events = Event.objects.filter(state=Event.State.DUE)
    oldest_due_at = due_events.order_by("accepted_at").values_list("accepted_at", flat=True).first()
    staff = HITLSession.objects.filter(audience="staff", state__in=HITLSession.UNDECIDED)
    seconds = (clock.now() - oldest_due_at).total_seconds() if oldest_due_at else 0.0
    return [
        ("due_events", "Events that were accepted and have had no turn.", due_events.count()),
        ("due_seconds", "How long the oldest of them has waited.", seconds),
        (
            "incidents",
            "Events whose turn failed for good, and that a person must look at.",
            Event.objects.filter(state=Event.State.INCIDENT).count(),
        ),
        ("open_gates", "Sessions that wait for a person of the staff.", staff.count()),
    ]
