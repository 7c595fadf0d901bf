"""Schemathesis calls the whole API as each role: nothing fails, and every answer is in the OpenAPI document.

    python -m conformance --api
    python -m conformance --api agent auditor

The server is `manage.py up` with the demo, gates that wait, and a request of an agent. Schemathesis runs from an
environment of its own (`requirements/schemathesis.txt`). The first lines that it prints say what is left out, and why.
"""

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

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
    "response_schema_conformance", "allow_header_conformance", "unsupported_method", "missing_required_header",
    "ignored_auth", "negative_data_rejection",
))  # fmt: skip
REFUSED = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]
"""Statuses with which a call that the document forbids is refused: those that Schemathesis expects, and 413.

A text that is longer than its field allows, written with escapes, is over the size of a whole body too, and that is
looked at first.
"""
LEFT_OUT_CHECKS = {
    "positive_data_acceptance": "a call that fits its schema may name what is not there, is decided, or another's",
    "use_after_free, ensure_resource_availability, object_level_authorization": (
        "they follow links between calls, and the document has none; tests/web/permission_matrix.txt has who gets what"
    ),
}
"""Checks of Schemathesis that are not asked for, and the reason."""
STREAM = "text/event-stream"
EXAMPLES = 10
MAX_ANSWER_SECONDS = 120
"""How long an answer may take: `wait` of a request is up to 60 seconds, and a busy machine is no network error."""
MAX_PRINTED_CHARACTERS, MAX_LINE_CHARACTERS = 8_000, 600
"""How much of what Schemathesis found is printed; it quotes bodies of megabytes in one line."""
AGENT = """
from django.contrib.auth.models import Permission, User
User.objects.create_user("agent").user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
"""
ASK = {"question": "May I refund 420 €?", "actions": ["approve", "reject"]}
REQUEST = {"dialect": "plain", "ask": ASK, "source": {"name": "refunds", "thread": "t1"}, "timeout": "30m"}


def call_as_roles(roles: Iterable[str]) -> int:
    """Print how many calls each of these roles made and what was wrong; return 1 if anything was."""
    command = python_of("schemathesis").parent / "schemathesis"
    broke = False
    with TemporaryDirectory(prefix="soni-api-", ignore_cleanup_errors=True) as name:
        house = House(Path(name))
        try:
            config = _prepare(house, Path(name))
            streams = dict(_streams(house.url))
            print(*_left_out(streams.values()), sep="\n", flush=True)
            for role in roles:
                printed, held = _run(command, config, house.url, ROLES[role], streams)
                broke |= not held
                print(f"{role:14}  {_count(printed):>6} calls  {'held' if held else 'BROKE'}", flush=True)
                if not held:
                    print(_findings(printed), flush=True)
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
    refusals = ["[checks.negative_data_rejection]", f"expected-statuses = {json.dumps(REFUSED)}"]
    config.write_text("\n".join(["[parameters]", *lines, *refusals, ""]))
    return config


def _streams(url: str) -> Iterator[tuple[str, str]]:
    """Yield the operation ids of the calls whose answer is a stream of events, each with its method and path."""
    with urlopen(f"{url}/api/v1/openapi.json") as answer:
        paths = json.load(answer)["paths"]
    for path, calls in paths.items():
        for method, call in calls.items():
            if STREAM in call["responses"].get("200", {}).get("content", {}):
                yield call["operationId"], f"{method.upper()} {path}"


def _left_out(streams: Iterable[str]) -> Iterator[str]:
    """Yield the lines that say what is not called and not checked."""
    yield f"not called, for a stream of events has no end: {', '.join(streams)} (tests/web/api follows them)"
    yield from (f"not checked: {checks}, for {reason}" for checks, reason in LEFT_OUT_CHECKS.items())


def _run(command: Path, config: Path, url: str, account: str, streams: Iterable[str]) -> tuple[str, bool]:
    """Return what Schemathesis printed as this account, and whether it found nothing. `streams` are not called."""
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
    skipped = [word for stream in streams for word in ("--exclude-operation-id", stream)]
    done = subprocess.run(
        [str(command), "--config-file", str(config), "run", f"{url}/api/v1/openapi.json",
         *token, *options, *skipped, "--suppress-health-check", "all", "--continue-on-failure"],
        cwd=config.parent,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    return done.stdout + done.stderr, done.returncode == 0


def _findings(printed: str) -> str:
    """Return what was found, with long lines cut in the middle, and without the advice that follows."""
    _, _, failures = printed.partition("= FAILURES =")
    findings, _, _ = (failures or printed).partition("= WARNINGS =")
    half = MAX_LINE_CHARACTERS // 2
    lines = findings.splitlines()
    cut = [line if len(line) <= MAX_LINE_CHARACTERS else f"{line[:half]} […] {line[-half:]}" for line in lines]
    return "\n".join(cut)[:MAX_PRINTED_CHARACTERS]


def _count(printed: str) -> str:
    found = re.search(r"(\d+) generated", printed)
    return found.group(1) if found else "?"
