"""The time from an empty machine to the first answer for an agent of another framework.

A copy of this checkout without anything installed or stored is started by `make up`. An agent's program gets an account
and a token, installs the client, and asks. An operator signs in with the printed password and approves in a browser.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

from tests.support.processes.server import ROOT, free_port, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

START_SECONDS = 1_800.0
APPROVAL_SECONDS = 120.0
OPERATOR = "olga"
AGENT = "refunds"
ACCOUNT = f"""
from django.contrib.auth.models import Permission, User
User.objects.create_user("{AGENT}").user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
"""
PROGRAM = """
import sys
from soni_client import Client
answer = Client(sys.argv[1], sys.argv[2]).ask(
    {"question": "May I refund 420 €?", "actions": ["approve", "reject"]},
    id="refund-1", source={"name": "refunds", "thread": "t1"}, timeout="30m", on_timeout="reject",
)
print(answer.answer["action"], "by", *answer.decided_by)
"""


class Stages:
    """Prints how long each stage took."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()

    def end(self, what: str) -> None:
        """End a stage."""
        now = time.monotonic()
        print(f"{now - self._last:7.1f} s  {what}", flush=True)
        self._last = now

    def end_all(self) -> None:
        """Print the sum."""
        print(f"{self._last - self._began:7.1f} s  in all", flush=True)


def first_approval() -> int:
    """Do it, print the time of each stage, and return 0 if the program got the approval."""
    with TemporaryDirectory(prefix="soni-first-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        _copy_checkout(folder)
        stages = Stages()
        with _console(folder) as (url, password):
            stages.end("make up: installed, migrated and listening")
            with _asking(folder, url, stages) as program:
                _approve(url, password)
                said = program.communicate(timeout=APPROVAL_SECONDS)[0].strip()
            stages.end(f"signed in and approved; the program read “{said}”")
        stages.end_all()
    return 0 if said.startswith("approve by") else 1


def _copy_checkout(folder: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)


@contextmanager
def _console(folder: Path) -> Iterator[tuple[str, str]]:
    """The console of a copy by `make up`, and the operator's password that it prints."""
    url = f"http://localhost:{(port := free_port())}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SONI_", "DATABASE_", "NLU_"))}
    with (folder / "up.log").open("w+") as log:
        process = subprocess.Popen(
            ["make", "up"],
            cwd=folder,
            env={**kept, "SONI_PORT": str(port)},
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            wait_for(lambda: _is_ready(url) or process.poll() is not None, START_SECONDS)
            yield url, _password_in(log)
        finally:
            os.killpg(process.pid, 15)
            process.wait()


def _is_ready(url: str) -> bool:
    try:
        with urlopen(f"{url}/health/ready") as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        time.sleep(0.2)
        return False


def _password_in(log: IO[str]) -> str:
    log.seek(0)
    printed = log.read()
    found = re.search(rf"^\s+{OPERATOR}\s+(\S+)", printed, re.MULTILINE)
    if found is None:
        raise AssertionError(f"the console did not start:\n{printed[-1500:]}")
    return found.group(1)


@contextmanager
def _asking(folder: Path, url: str, stages: Stages) -> Iterator[subprocess.Popen[str]]:
    """An agent's program in an environment of its own, which has asked and waits."""
    manage = [str(folder / ".venv/bin/python"), "manage.py"]
    _run(folder, *manage, "shell", "-c", ACCOUNT)
    options = ("--name", "first", "--scope", "requests", "--as", "ada")
    token = _run(folder, *manage, "api_token", "create", AGENT, *options).split()[0]
    stages.end("an account and a token for the program")
    python = folder / "agent" / "bin" / "python"
    _run(folder, sys.executable, "-m", "venv", "agent")
    _run(folder, str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "./clients/python")
    stages.end("the client installed")
    program = subprocess.Popen([str(python), "-c", PROGRAM, url, token], stdout=subprocess.PIPE, text=True)
    try:
        yield program
    finally:
        program.kill()
        program.wait()


def _run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command[1:3])}: {(done.stdout + done.stderr)[-1500:]}")
    return done.stdout


def _approve(url: str, password: str) -> None:
    """Sign in as the operator, open the gate from the list, and approve."""
    from playwright.sync_api import sync_playwright

    from tests.support.browser.chromium import SWITCHES, chromium_here

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_here(), args=SWITCHES)
        page = browser.new_page(locale="en-GB")
        page.set_default_timeout(60_000)
        try:
            _approve_on(page, url, password)
        finally:
            browser.close()


def _approve_on(page: "Page", url: str, password: str) -> None:
    page.goto(f"{url}/gates/")
    page.fill("[name=username]", OPERATOR)
    page.fill("[name=password]", password)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("May I refund 420").first.click()
    page.get_by_role("button", name=re.compile("^Approve")).first.click()
    page.locator("#card .decision").wait_for()
