"""What makes a start unsafe. Each finding says which setting and what to write instead; one of them stops the start.

`manage.py` runs these before a command, `soni_admin.asgi` before it serves.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register, run_checks
from django.core.checks import Warning as CheckWarning
from django.db import DatabaseError

from dialogue.checks import EXTENSIONS
from soni_admin.private_files import is_readable_by_others

SAMPLES = ("django-insecure-", "change-me", "changeme", "sample", "secret")
KEY_LENGTH, KEY_VARIETY = 50, 5


class UnsafeStart(Exception):
    """The settings are unsafe; the message lists each with what to do."""


def debug_outside_development() -> Iterable[Error]:
    if settings.DEBUG and not settings.DEVELOPMENT:
        yield Error(
            "SONI_DEBUG is on outside development, where its error pages show settings and people's data.",
            hint="Remove SONI_DEBUG, or set SONI_ENVIRONMENT=development on your own machine.",
            id="soni.E001",
        )


def hosts_of_anybody() -> Iterable[Error]:
    if any("*" in host for host in settings.ALLOWED_HOSTS):
        yield Error(
            "SONI_HOSTS holds '*', so that links could be made to point at anybody's host.",
            hint="Write the host names under which the console is reached, separated by commas.",
            id="soni.E002",
        )


def memory_shared_by_processes() -> Iterable[Error]:
    if settings.SCALED and settings.CHANNEL_LAYERS["default"]["BACKEND"] == settings.MEMORY_LAYER:
        yield Error(
            "Several processes cannot ring one another: the channel layer is in memory.",
            hint="Set REDIS_URL, or SONI_DEPLOYMENT=embedded when one `manage.py up` serves this database.",
            id="soni.E003",
        )


def missing_origins() -> Iterable[Error]:
    if set(settings.ALLOWED_HOSTS) - set(settings.LOCAL_HOSTS) and not settings.WEBSOCKET_ORIGINS:
        yield Error(
            "SONI_ORIGINS is empty, though the console is reached under a name of its own.",
            hint="Write the pages' origins with scheme and port, such as https://soni.example.",
            id="soni.E004",
        )


def origins_that_are_none() -> Iterable[Error]:
    for origin in filter(lambda each: not is_origin(each), settings.WEBSOCKET_ORIGINS):
        yield Error(
            f"SONI_ORIGINS holds {origin!r}, which is not an origin.",
            hint="An origin is a scheme, a host and a port if it is not the usual one: https://soni.example:8443.",
            id="soni.E005",
        )


def is_origin(text: str) -> bool:
    parts = urlsplit(text)
    return parts.scheme in {"http", "https"} and text == f"{parts.scheme}://{parts.netloc}" and "*" not in parts.netloc


def key_that_is_known() -> Iterable[Error]:
    key = settings.SECRET_KEY
    if key.startswith(SAMPLES) or len(key) < KEY_LENGTH or len(set(key)) < KEY_VARIETY:
        yield Error(
            "SONI_SECRET_KEY is a sample or too short, so that anybody could sign in as anybody.",
            hint=f"Remove it, and a key is made in {settings.DATA_DIR}; or write {KEY_LENGTH} random characters.",
            id="soni.E006",
        )


def checkpoints_that_run_code() -> Iterable[Error]:
    if not settings.LANGGRAPH_STRICT_MSGPACK:
        yield Error(
            "LANGGRAPH_STRICT_MSGPACK is off: a forged checkpoint could run code when it is read.",
            hint="Remove the variable, or set it to true.",
            id="soni.E007",
        )


def cache_that_runs_code() -> Iterable[Error]:
    if settings.DSPY_DISK_CACHE:
        yield Error(
            "DSPy's disk cache is on: it keeps people's words in pickles, which run code when they are read.",
            hint="Remove SONI_DSPY_DISK_CACHE.",
            id="soni.E008",
        )


def conversations_that_leave() -> Iterable[Error]:
    for name in settings.TRACING:
        yield Error(
            f"{name} is on: LangSmith's tracing would send every conversation to an outside service.",
            hint=f"Remove {name}, or set it to false.",
            id="soni.E009",
        )


def file_shared_by_processes() -> Iterable[Error]:
    if settings.SCALED and not settings.DATABASE_URL:
        yield Error(
            "Several processes are to share one SQLite file, which only one may serve.",
            hint="Set DATABASE_URL to a PostgreSQL, or remove SONI_DEPLOYMENT.",
            id="soni.E010",
        )


def proxies_of_anybody() -> Iterable[Error]:
    if any(network.prefixlen == 0 for network in settings.TRUSTED_PROXIES):
        yield Error(
            "SONI_TRUSTED_PROXIES trusts every address: anybody could pass for anybody, and no limit would hold.",
            hint="Write the addresses of your own proxies, such as 127.0.0.1 or 10.0.0.0/8.",
            id="soni.E011",
        )


def proxies_unnamed() -> Iterable[CheckWarning]:
    if settings.HTTPS and not settings.TRUSTED_PROXIES:
        yield CheckWarning(
            "SONI_TRUSTED_PROXIES is empty though a proxy ends TLS: all visitors count as one address, so that"
            " a hundred wrong passwords of anybody keep everybody from signing in.",
            hint="Write the proxy's address, such as 127.0.0.1 or 10.0.0.0/8; it must set X-Forwarded-For itself.",
            id="soni.W001",
        )


def key_that_others_read() -> Iterable[CheckWarning]:
    path = settings.KEY_FILE
    if path is not None and is_readable_by_others(path):
        yield CheckWarning(
            f"Other accounts of this machine can read {path}, and sign in as anybody with it.",
            hint=f"Run: chmod 600 {path}. If somebody may have read it, delete it: the next start makes a new one.",
            id="soni.W002",
        )


UNSAFE: tuple[Callable[[], Iterable[Error]], ...] = (
    debug_outside_development,
    hosts_of_anybody,
    memory_shared_by_processes,
    missing_origins,
    origins_that_are_none,
    key_that_is_known,
    checkpoints_that_run_code,
    cache_that_runs_code,
    conversations_that_leave,
    file_shared_by_processes,
    proxies_of_anybody,
)


@register(Tags.security)
def unsafe_settings(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    return [*(finding for find in UNSAFE for finding in find()), *proxies_unnamed(), *key_that_others_read()]


def refuse_unsafe_start() -> None:
    """Raises UnsafeStart with every finding of Django's checks and ours that is an error."""
    errors = [finding for finding in run_checks(tags=[Tags.security, EXTENSIONS]) if finding.is_serious()]
    if errors:
        raise UnsafeStart("\n".join(f"{each.id}: {each.msg} {each.hint or ''}" for each in errors))


def refuse_wrong_clock() -> None:
    """Where several hosts share a database its clock counts, and theirs must agree with it. Raises ClockSkewed.

    A database that is away stops no start: pages say that they wait for it.
    """
    from dialogue.turns.clock import refuse_skew  # models, and so the apps, have to be there

    if settings.SCALED:
        with suppress(DatabaseError):
            refuse_skew()
