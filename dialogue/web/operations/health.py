"""Health checks: liveness and readiness, for proxies and orchestrators."""

from datetime import timedelta

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from dialogue.conf import soni
from dialogue.turns import clock
from dialogue.turns.process import jobs, writes
from dialogue.turns.process.database import MigrationsWait, refuse_unmigrated

REDIS_TIMEOUTS = {"socket_timeout": 1.0, "socket_connect_timeout": 1.0}
HEARTBEAT_TIMEOUT = timedelta(seconds=30)
"""How long after its last sign of life a worker counts as living."""


@never_cache
@require_GET
def liveness(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "live"})


@never_cache
@require_GET
def readiness(request: HttpRequest) -> JsonResponse:
    """Whether this process can take messages and answers. 503 while it cannot, with what it waits for.

    `without` names what is away though the process works: `redis` (pages hear of news up to 20 s late) and `workers`
    (what is accepted is kept, and runs when one comes).
    """
    try:
        refuse_unmigrated()
        without = missing_services()
    except DatabaseError:
        return _waiting_response("database")
    except MigrationsWait:
        return _waiting_response("migrations")
    if not writes.writes_work():
        return _waiting_response("writes")
    return JsonResponse({"status": "ready", **({"without": without} if without else {})})


def missing_services() -> list[str]:
    """The services that are missing though the process works: `workers`, `redis`, and a correct `clock`."""
    return [*_missing_workers(), *_missing_redis(), *_missing_clock()]


def _waiting_response(service: str) -> JsonResponse:
    return JsonResponse({"status": "waiting", "for": service}, status=503)


def _missing_clock() -> list[str]:
    """Reading the clock compares it with this host's."""
    clock.now()
    return ["clock"] if clock.is_skewed() else []


def _missing_workers() -> list[str]:
    if not jobs.have_workers():
        return []
    from procrastinate.contrib.django.models import ProcrastinateWorker

    alive = ProcrastinateWorker.objects.filter(last_heartbeat__gt=clock.now() - HEARTBEAT_TIMEOUT)
    return [] if alive.exists() else ["workers"]


def _missing_redis() -> list[str]:
    if not soni.REDIS_URL:
        return []
    from redis import Redis
    from redis.exceptions import RedisError

    try:
        with Redis.from_url(soni.REDIS_URL, **REDIS_TIMEOUTS) as redis:
            redis.ping()
    except RedisError:
        return ["redis"]
    return []
