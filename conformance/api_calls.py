"""Schemathesis calls the whole API as each role: nothing fails, and every answer is in the OpenAPI document.

    python -m conformance --api

The server is `manage.py up` with the demo, gates that wait, and a request of an agent. Schemathesis runs from an
environment of its own (`requirements/schemathesis.txt`).
"""

import json
import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from conformance.environments import python_of
from tests.support.browser.house import House

ROLES = {
    "visitor": "",
    "customer": "ursula",
    "operator": "olga",
    "supervisor": "sofia",
    "flow author": "arthur",
    "auditor": "audrey",
    "administrator": "ada",
    "agent": "agent",
}
CHECKS = ",".join((
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "allow_header_conformance",
))  # fmt: skip
EXAMPLES = 10
MAX_ANSWER_SECONDS = 60
"""How long an answer may take; after the ten seconds of Schemathesis a busy machine counts as a network error."""
MAX_PRINTED_CHARACTERS = 8_000
AGENT = """
from django.contrib.auth.models import Permission, User
User.objects.create_user("agent").user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
"""
ASK = {"question": "May I refund 420 €?", "actions": ["approve", "reject"]}
REQUEST = {"dialect": "plain", "ask": ASK, "source": {"name": "refunds", "thread": "t1"}, "timeout": "30m"}


def call_as_each_role() -> int:
    """Print how many calls each role made and what was wrong; return 1 if anything was."""
    command = python_of("schemathesis").parent / "schemathesis"
    broke = False
    with TemporaryDirectory(prefix="soni-api-", ignore_cleanup_errors=True) as name:
        house = House(Path(name))
        try:
            config = _prepare(house, Path(name))
            for role, account in ROLES.items():
                printed, held = _run(command, config, house.url, account)
                broke |= not held
                print(f"{role:14}  {_count(printed):>6} calls  {'held' if held else 'BROKE'}", flush=True)
                if not held:
                    print(printed[-MAX_PRINTED_CHARACTERS:], flush=True)
        finally:
            house.server.kill()
    return 1 if broke else 0


def _prepare(house: House, folder: Path) -> Path:
    """Start the server with things to call; return the file that tells Schemathesis their names."""
    house.open()
    house.server.shell(AGENT)
    house.sign_in()
    case = house.transfer()
    house.chat()
    for number in range(3):
        body = {**REQUEST, "id": f"r-{number}", "on_timeout": "reject"}
        made = house.server.post("/api/v1/requests", body, "token-of-agent")
        assert made.status == 201, made.body
    values = {
        "path.name": "g1",
        "path.conversation_id": case.conversation,
        "path.assistant": "bank",
        "path.flow": "transfer_money",
        "path.number": "1",
        "path.ref": "r-0",
    }
    config = folder / "schemathesis.toml"
    lines = [f"{json.dumps(name)} = {json.dumps(value)}" for name, value in values.items()]
    config.write_text("\n".join(["[parameters]", *lines, ""]))
    return config


def _run(command: Path, config: Path, url: str, account: str) -> tuple[str, bool]:
    """Return what Schemathesis printed as this account, and whether it found nothing."""
    token = ("--header", f"Authorization: Bearer token-of-{account}") if account else ()
    options = (
        "--checks",
        CHECKS,
        "--phases",
        "examples,coverage,fuzzing",
        "--max-examples",
        str(EXAMPLES),
        "--seed",
        "1",
        "--request-timeout",
        str(MAX_ANSWER_SECONDS),
    )
    # A stream of events has no end.
    streams = ("--exclude-path-regex", "events$", "--suppress-health-check", "all")
    done = subprocess.run(
        [str(command), "--config-file", str(config), "run", f"{url}/api/v1/openapi.json",
         *token, *options, *streams, "--continue-on-failure"],
        cwd=config.parent,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    return done.stdout + done.stderr, done.returncode == 0


def _count(printed: str) -> str:
    found = re.search(r"(\d+) generated", printed)
    return found.group(1) if found else "?"
