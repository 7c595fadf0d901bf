"""The container file, the compose file and the proxy's configurations say what the rest of the repository knows."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import find_commands

from dialogue.conf.environment import Environment
from dialogue.management.server import MAX_FRAME_BYTES
from tests.support.processes.server import ROOT

DEPLOY = ROOT / "deploy"
CONTAINER = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("migrate", "pages", "worker")
SETTINGS = (ROOT / "soni_admin" / "settings.py").read_text()


def copied() -> list[str]:
    """What the container file takes from the checkout."""
    lines = re.findall(r"^COPY (?!--from)(.*)$", CONTAINER, re.MULTILINE)
    return [source for line in lines for source in line.split()[:-1]]


def sent_to_builders() -> list[str]:
    """What `.dockerignore` lets through; its first line refuses everything."""
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert lines[0] == "*"
    return [line[1:] for line in lines if line.startswith("!")]


@pytest.mark.parametrize("source", copied())
def test_what_the_container_file_copies_is_there_and_is_sent_to_the_builder(source: str):
    assert (ROOT / source).exists()
    assert any(Path(source).match(pattern) or Path(pattern).parts[0] == source for pattern in sent_to_builders())


def test_the_packages_that_settings_and_templates_name_are_all_in_the_image():
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {
        "tests",
        "bench",
        "campaigns",
        "conformance",
        "training",
    }

    assert packages | {"templates", "static", "locale", "manage.py"} <= set(copied())


def test_the_image_bundles_the_editors_as_make_and_the_wheel_do():
    words = re.search(r"node_modules/esbuild/bin/esbuild(.*)$", CONTAINER, re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text().replace("$(@D)", "static/bundle").replace("\\\n", " ")
    made = re.search(r"node_modules/esbuild/bin/esbuild(.*)$", makefile, re.MULTILINE)

    assert words and made
    assert set(words[1].split()) == set(made[1].split())


def test_the_image_serves_pages_as_somebody_who_is_not_root():
    command = re.search(r"^CMD \[(.*)\]$", CONTAINER, re.MULTILINE)
    user = re.search(r"^USER (\d+)", CONTAINER, re.MULTILINE)

    assert command and f'"--websocket-max-message-size", "{MAX_FRAME_BYTES}"' in command[1]
    assert f'"--websocket-max-frame-size", "{MAX_FRAME_BYTES}"' in re.sub(r"\s+", " ", command[1])
    assert user and int(user[1]) > 0


@pytest.mark.parametrize("service", OURS)
def test_a_service_is_given_settings_that_are_read(service: str):
    for name in SERVICES[service]["environment"]:
        assert f'"{name}"' in SETTINGS


def test_the_given_settings_are_those_of_a_scaled_deployment_behind_tls():
    env = Environment(SERVICES["worker"]["environment"])

    assert env.flag("SONI_HTTPS")
    assert env.text("DATABASE_URL").endswith("@database/soni")
    assert {"database", "redis"} <= SERVICES.keys()
    assert env.text("SONI_ORIGINS") == "https://${SONI_HOST}"


@pytest.mark.parametrize("service", ["migrate", "worker"])
def test_a_services_command_is_one_that_there_is(service: str):
    python, file, command = SERVICES[service]["command"]

    assert (python, file) == ("python", "manage.py")
    assert command in {*find_commands(str(ROOT / "dialogue" / "management")), "migrate"}


def test_the_check_of_the_pages_asks_as_the_proxy_does():
    how, python, switch, program = SERVICES["pages"]["healthcheck"]["test"]

    compile(program, "healthcheck", "exec")
    assert (how, python, switch) == ("CMD", "python", "-c")
    assert "/health/ready" in program
    assert "X-Forwarded-Proto" in program


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_a_service_waits_only_for_services_and_keeps_only_named_volumes(service: str):
    said = SERVICES[service]
    volumes = [each.split(":")[0] for each in said.get("volumes", [])]

    assert set(said.get("depends_on", {})) <= SERVICES.keys()
    for source in volumes:
        assert source in COMPOSE["volumes"] or source == "./certificates" or (DEPLOY / source).exists()


def test_the_proxys_two_configurations_include_what_is_the_same_in_both():
    for name in ("nginx.conf", "proxy.conf.template"):
        text = (DEPLOY / name).read_text()
        assert "include pages.conf;" in text
        assert "upstream soni {" in text
        assert "$connection_wanted" in text


def test_the_proxy_of_the_compose_file_is_given_every_name_that_it_fills_in():
    template = (DEPLOY / "proxy.conf.template").read_text()
    environment = SERVICES["proxy"]["environment"]

    filled = set(re.findall(r"\$\{([A-Z_]+)\}", template))

    assert filled == {"SONI_HOST", "NGINX_LOCAL_RESOLVERS"}
    assert environment["NGINX_ENTRYPOINT_LOCAL_RESOLVERS"] == "1"
    assert "server pages:8000 resolve" in template


def test_no_log_of_the_proxy_has_the_addresses_that_answer_for_whoever_has_them():
    said = (DEPLOY / "pages.conf").read_text()

    assert "access_log off;" in said
    assert "location ~ ^/(answer|ws)/ {\n    error_log stderr crit;" in said


def test_the_variables_of_the_env_file_are_those_that_the_guide_writes():
    asked = set(re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose.yaml").read_text()))
    guide = (ROOT / "docs" / "operations.md").read_text()

    written = re.search(r"printf '(.*?)' ", guide)

    assert written
    assert {line.split("=")[0] for line in written[1].split("\\n") if line} == asked
    assert shlex.split(SERVICES["database"]["healthcheck"]["test"][1]) == ["pg_isready"]


def test_the_servers_believe_the_compose_files_proxy_and_it_tells_them_its_own_words_only():
    networks = Environment(SERVICES["pages"]["environment"]).networks("SONI_TRUSTED_PROXIES")
    words = (DEPLOY / "pages.conf").read_text()

    assert networks
    assert all(network.is_private for network in networks)
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in words
    assert "ports" not in SERVICES["pages"]
