"""Counters for Prometheus and spans for OpenTelemetry: numbers and durations, never the text of messages.

Counters belong to this process; the processes of `up --workers N` share theirs. Figures that the database has are read
at each request (`web/operations/metrics.py`).
"""

import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from prometheus_client import Counter, Gauge, Histogram

from dialogue.conf import soni
from dialogue.engine.understanding import Usage

Result = TypeVar("Result")

COUNTERS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable of Prometheus' library for the folder in which several processes share their counters."""

TURNS = Counter("soni_turns", "Turns that ended, by what came of them.", ["outcome"])
TURN_SECONDS = Histogram(
    "soni_turn_seconds",
    "From the start of a turn to its commit, in seconds.",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
WAITING_TURNS = Gauge("soni_waiting_turns", "Turns that wait to begin.", multiprocess_mode="livesum")
REQUESTS_IN_FLIGHT = Gauge(
    "soni_requests_in_flight", "HTTP requests that are being served, event streams aside.", multiprocess_mode="livesum"
)
REFUSED = Counter("soni_refused", "Work that was refused because too much waits, by what it was.", ["work"])
LEASES_LOST = Counter("soni_leases_lost", "Turns that were given up because another runner took the conversation.")
EXPIRED = Counter("soni_expired", "Sessions that were not answered in time.")
MODEL_CALLS = Counter("soni_model_calls", "Calls of language models.", ["model"])
MODEL_TOKENS = Counter("soni_model_tokens", "Tokens of language models.", ["model", "kind"])


async def observe_turn_seconds(turn: Awaitable[Result]) -> Result:
    """Await the turn and return its result; its duration is observed also when it fails."""
    began = time.perf_counter()
    try:
        return await turn
    finally:
        TURN_SECONDS.observe(time.perf_counter() - began)


def count_usage(usage: Usage) -> None:
    """Count the language model's calls and tokens for one message."""
    if usage.calls:
        MODEL_CALLS.labels(usage.model).inc(usage.calls)
        MODEL_TOKENS.labels(usage.model, "prompt").inc(usage.prompt_tokens)
        MODEL_TOKENS.labels(usage.model, "completion").inc(usage.completion_tokens)


def send_spans() -> None:
    """Send spans to the collector of OTEL_EXPORTER_OTLP_ENDPOINT. Call it once a process, before the first turn."""
    if not soni.TRACES_URL:
        return
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "soni"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


@contextmanager
def span(name: str, **facts: str | int) -> Iterator[None]:
    """Open a span of OpenTelemetry if its library is installed, with numbers and names as attributes and no content."""
    try:
        from opentelemetry import trace
    except ImportError:
        yield
        return
    attributes = {f"soni.{fact}": value for fact, value in facts.items()}
    opening = trace.get_tracer("soni").start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    )
    with opening as opened:
        try:
            yield
        except Exception as error:
            opened.set_attribute("error.type", type(error).__name__)  # its text may hold what people said
            raise
