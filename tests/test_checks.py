"""Each unsafe setting stops the start, with a sentence that names it and one that says what to do."""

import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path

import pytest
from django.core.checks import run_checks

from dialogue.conf.third_party import TRACING_NAMES
from soni_admin.checks import UnsafeStart, refuse_unsafe_start
from tests.support.soni_settings import change as change_setting

ROOT = Path(__file__).resolve().parent.parent
LONG_KEY = "k7Qz2mV9xR4tB8nW1cY6pL3sD5fG0hJ-aEuIoTqXwZvNbMyKrCjPdSgFhLxUeOi"

UNSAFE = [
    ("soni.E001", {"DEBUG": True}, "SONI_DEBUG"),
    ("soni.E002", {"ALLOWED_HOSTS": ["*"]}, "SONI_HOSTS"),
    ("soni.E002", {"ALLOWED_HOSTS": ["*.soni.example"]}, "SONI_HOSTS"),
    ("soni.E003", {"SCALED": True}, "channel layer is in memory"),
    ("soni.E004", {"ALLOWED_HOSTS": ["soni.example"]}, "SONI_ORIGINS is empty"),
    ("soni.E005", {"WEBSOCKET_ORIGINS": ["soni.example"]}, "'soni.example'"),
    ("soni.E005", {"WEBSOCKET_ORIGINS": ["https://*.soni.example"]}, "is not an origin"),
    ("soni.E005", {"WEBSOCKET_ORIGINS": ["https://soni.example/inbox/"]}, "is not an origin"),
    ("soni.E006", {"SECRET_KEY": f"django-insecure-{LONG_KEY}"}, "SONI_SECRET_KEY"),
    ("soni.E006", {"SECRET_KEY": "short"}, "SONI_SECRET_KEY"),
    ("soni.E006", {"SECRET_KEY": "ab" * 40}, "SONI_SECRET_KEY"),
    ("soni.E007", {"LANGGRAPH_STRICT_MSGPACK": False}, "LANGGRAPH_STRICT_MSGPACK"),
    ("soni.E008", {"DSPY_DISK_CACHE": True}, "DSPy"),
    ("soni.E009", {"TRACING": ["LANGCHAIN_TRACING_V2"]}, "LANGCHAIN_TRACING_V2 is on: LangSmith"),
    ("soni.E011", {"TRUSTED_PROXIES": (ip_network("0.0.0.0/0"),)}, "SONI_TRUSTED_PROXIES"),
    ("soni.E011", {"TRUSTED_PROXIES": (ip_network("127.0.0.1"), ip_network("::/0"))}, "SONI_TRUSTED_PROXIES"),
    ("soni.E010", {"SCALED": True, "DATABASE_URL": ""}, "SQLite"),
]


@pytest.fixture
def safe(settings):
    """The embedded default, whichever database this run of the tests has."""
    settings.DATABASE_URL = ""
    settings.SCALED = False
    settings.SECRET_KEY = LONG_KEY
    return settings


def test_the_embedded_default_is_safe(safe):
    refuse_unsafe_start()


@pytest.mark.parametrize(("code", "change", "says"), UNSAFE)
def test_an_unsafe_setting_stops_the_start_and_says_which_and_what_to_do(safe, code, change, says):
    for name, value in change.items():
        setattr(safe, name, value)

    found = [finding for finding in run_checks() if finding.id == code]

    assert len(found) == 1
    assert says in found[0].msg
    assert found[0].is_serious()
    assert found[0].hint


def test_debug_is_welcome_in_development(safe):
    safe.DEBUG = safe.DEVELOPMENT = True

    refuse_unsafe_start()


def test_a_scaled_start_with_postgresql_and_redis_is_safe(safe):
    safe.SCALED = True
    safe.DATABASE_URL = "postgresql://soni@db.example/soni"
    safe.CHANNEL_LAYERS = {"default": {"BACKEND": safe.REDIS_LAYER}}

    refuse_unsafe_start()


def test_a_name_of_its_own_with_its_origin_is_safe(safe):
    safe.ALLOWED_HOSTS = ["soni.example"]
    safe.WEBSOCKET_ORIGINS = ["https://soni.example:8443"]

    refuse_unsafe_start()


def test_every_finding_is_told_at_once(safe):
    safe.DEBUG = True
    safe.DSPY_DISK_CACHE = True

    with pytest.raises(UnsafeStart, match=r"soni\.E001(.|\n)*soni\.E008"):
        refuse_unsafe_start()


STARTS = [["manage.py", "migrate", "--check"], ["-c", "import soni_admin.asgi"]]


@pytest.mark.journey
@pytest.mark.parametrize("start", STARTS, ids=["command", "server"])
def test_neither_a_command_nor_the_server_starts_with_debug_on(tmp_path, start):
    told = run_python(start, {"SONI_DATA": str(tmp_path), "SONI_DEBUG": "true"})

    assert told.returncode != 0
    assert "SONI_DEBUG is on outside development" in told.stderr


@pytest.mark.journey
@pytest.mark.parametrize("name", TRACING_NAMES)
def test_every_name_of_the_tracing_stops_the_start(tmp_path, name):
    told = run_python(["manage.py", "migrate", "--check"], {"SONI_DATA": str(tmp_path), name: "true"})

    assert told.returncode != 0
    assert f"(soni.E009) {name} is on" in told.stderr
    assert told.stderr.count("soni.E009") == 1


UNREADABLE = [
    ("SONI_DEBUG", "perhaps"),
    ("SONI_PORT", "http"),
    ("SONI_DEPLOYMENT", "big"),
    ("DATABASE_URL", "mysql://db/soni"),
]


@pytest.mark.journey
@pytest.mark.parametrize(("name", "word"), UNREADABLE)
def test_a_variable_that_cannot_be_read_is_named(tmp_path, name, word):
    told = run_python(["manage.py", "check"], {"SONI_DATA": str(tmp_path), name: word})

    assert told.returncode != 0
    assert told.stderr.startswith(f"{name} is")


def run_python(words: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_who_ends_tls_at_a_proxy_is_warned_that_all_visitors_count_as_one_until_it_is_named(safe):
    safe.HTTPS, safe.TRUSTED_PROXIES = True, ()
    unnamed = [finding for finding in run_checks() if finding.id == "soni.W001"]
    safe.TRUSTED_PROXIES = (ip_network("127.0.0.1"),)
    named = [finding for finding in run_checks() if finding.id == "soni.W001"]

    assert [finding.is_serious() for finding in unnamed] == [False]
    assert "SONI_TRUSTED_PROXIES is empty" in unnamed[0].msg
    assert named == []


def test_a_language_model_without_dspy_is_a_warning_that_says_what_to_install(settings, monkeypatch):
    change_setting(settings, NLU_MODEL="openai/tiny")
    installed = [finding.id for finding in run_checks()]
    monkeypatch.setattr("dialogue.checks.find_spec", lambda name: None)

    (warning,) = (finding for finding in run_checks() if finding.id == "dialogue.W004")

    assert "dialogue.W004" not in installed
    assert "openai/tiny" in warning.msg
    assert "make up" in str(warning.hint)
